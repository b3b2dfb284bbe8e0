// `npm run check-package`: packs the project, installs the tarball the way a user does, and runs what was installed.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'ringcast-package-'));
const installed = join(scratch, 'prefix', 'bin', 'ringcast');

/** What a user's shell has: not the programs that npm scripts find in node_modules. */
const userPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
const asUser = { ...process.env, npm_config_update_notifier: 'false', PATH: userPath.join(delimiter) };
const withThisNode = { ...asUser, PATH: [dirname(process.execPath), ...userPath].join(delimiter) };

function step(what: string, check: () => void): void {
  check();
  console.log(`ok: ${what}`);
}

function expectThat(condition: boolean, sentence: string): void {
  if (!condition) throw new Error(sentence);
}

function packAndInstall(): void {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch], {
    cwd: root,
    env: asUser,
    stdio: 'inherit',
  });
  const [tarball = ''] = readdirSync(scratch).filter((name) => name.endsWith('.tgz'));
  const prefix = join(scratch, 'prefix');
  const args = ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', '--loglevel=error', tarball];
  execFileSync('npm', args, { cwd: scratch, env: asUser, stdio: ['ignore', 'ignore', 'inherit'] });
}

function showsHelp(): void {
  const { status, stdout, stderr } = spawnSync(installed, ['--help'], { env: withThisNode, encoding: 'utf8' });
  expectThat(status === 0 && stdout.includes('serve'), `ringcast --help: status ${status}\n${stdout}${stderr}`);
}

/** The Node of the machine, which is what a user would start it with. */
function refusesOldNode(): void {
  const version = execFileSync('node', ['--version'], { env: asUser, encoding: 'utf8' }).trim();
  const isOld = Number.parseInt(version.slice(1), 10) < 24;
  const { status, stderr } = spawnSync(installed, ['--help'], { env: asUser, encoding: 'utf8' });
  const isOneSentence = stderr.trim() !== '' && !stderr.trim().includes('\n');
  const isRight = isOld ? status === 2 && isOneSentence : status === 0;
  expectThat(isRight, `ringcast --help on Node ${version}: status ${status}\n${stderr}`);
}

/** Starts a command that goes on, waits for its ready line, and ends it. */
async function becomesReady(args: readonly string[], environment: Record<string, string> = {}): Promise<void> {
  const child = spawn(installed, args, {
    cwd: scratch,
    env: { ...withThisNode, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line = await firstLine(child);
  expectThat(JSON.parse(line).ready === true, `ringcast ${args[0]} said: ${line}`);
  child.kill('SIGTERM');
  const [status] = await exited;
  expectThat(status === 0, `ringcast ${args[0]} ended with ${status} on SIGTERM`);
  console.log(`ok: ringcast ${args[0]} starts and stops`);
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout) for await (const line of createInterface({ input: stdout })) return line;
  return '{}';
}

try {
  step('npm pack, npm install --global', packAndInstall);
  step('ringcast --help', showsHelp);
  step('the Node of this machine: help, or one sentence if it is too old', refusesOldNode);
  await becomesReady(['phone', '--listen', '127.0.0.1:0']);
  await becomesReady(['serve'], {
    RINGCAST_DATA_DIR: join(scratch, 'data'),
    RINGCAST_PUBLIC_LISTEN: '127.0.0.1:0',
    RINGCAST_OPERATOR_LISTEN: '127.0.0.1:0',
    RINGCAST_SIP_LISTEN: '127.0.0.1:0',
  });
} finally {
  rmSync(scratch, { recursive: true });
}
