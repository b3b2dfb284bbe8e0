import { fileURLToPath } from 'node:url';
import type { Launch } from './cli/launch.ts';
import { runProgram } from './cli/program.ts';
import { SETTINGS } from './config-settings.ts';

/** What the demo starts its children with: the executable beside this file, `.ts` in a checkout, `.js` when built. */
const EXECUTABLE = fileURLToPath(
  new URL(`./ringcast${import.meta.filename.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);

/** Each part is loaded when its command runs: `ringcast calls` needs neither the server nor the phone. */
const LAUNCH: Launch = {
  settings: SETTINGS,
  serve: async (flags) => (await import('./main.ts')).serve(flags),
  phone: async (options) => (await import('./phone/command.ts')).runPhone(options),
  demo: async (options) =>
    (await import('./demo/demo.ts')).runDemo({ ...options, executable: EXECUTABLE }, process.stdout),
  backUp: async (target, dataDirectory) =>
    (await import('./backup.ts')).backUp(target, { ...process.env, RINGCAST_DATA_DIR: dataDirectory }),
  callItself: async () => (await import('./demo/call-itself.ts')).callItself(EXECUTABLE),
};

/** Runs the command line of this process and sets its exit status. */
export const runCommandLine = async (): Promise<void> => {
  let isUnsaid = false;
  // `ringcast calls | head` closes the pipe: nobody is left to write to, which is no error. A full disk is one, but no end
  // at once either: a demo has children to end first, and a server goes on.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    isUnsaid = true;
    process.exitCode = 1;
    process.stderr.write(`Standard output cannot be written (${error.code}).\n`);
  });
  process.stderr.on('error', () => undefined);
  const status = await runProgram(process.argv.slice(2), LAUNCH, { out: process.stdout, err: process.stderr });
  process.exitCode = isUnsaid ? 1 : status;
};
