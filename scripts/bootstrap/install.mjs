// `npm ci`, quietly: nothing is shown unless it fails.
import { spawn } from 'node:child_process';

// Said explicitly, because inside an npm script the settings of the outer npm come along in the environment
// (`npm pack --dry-run`, `npm test --omit=dev`, NODE_ENV=production), and the system's Node may be one that some
// development tools do not support: they run on the pinned one.
const NPM_CI = [
  'ci',
  '--include=dev',
  '--include=optional',
  '--dry-run=false',
  '--global=false',
  '--engine-strict=false',
  '--json=false',
  '--audit=false',
  '--fund=false',
  '--progress=false',
  '--loglevel=error',
];
const KEPT_OUTPUT_LENGTH = 65_536;
const SHOWN_LINES = 15;

/** Installs what package-lock.json says. Throws npm's own error lines if it fails. */
export async function install(root) {
  const { status, signal, output } = await run(npmCommand(), root);
  if (signal) throw new Error(`npm ci was ended by ${signal}`);
  if (status !== 0) throw new Error(`npm ci failed in ${root}; npm says:\n${firstLines(output)}`);
}

/** The first lines name the error; what follows is npm's own usage text. */
function firstLines(output) {
  const lines = output.split('\n').filter((line) => line.replace('npm error', '').trim() !== '');
  return lines.slice(0, SHOWN_LINES).join('\n');
}

/** The npm that runs us, on the Node that runs us; else the one on the PATH. */
function npmCommand() {
  const npmCli = process.env.npm_execpath;
  if (npmCli?.endsWith('npm-cli.js')) return { file: process.execPath, args: [npmCli, ...NPM_CI], shell: false };
  return { file: 'npm', args: NPM_CI, shell: process.platform === 'win32' };
}

function run({ file, args, shell }, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, shell, stdio: ['ignore', 'pipe', 'pipe'] });
    const stopChild = (signal) => child.kill(signal);
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(0, KEPT_OUTPUT_LENGTH);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stopChild);
    child.once('error', () => reject(new Error('npm was not found; install npm, then run this again')));
    child.once('close', (status, signal) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, stopChild);
      resolve({ status, signal, output });
    });
  });
}
