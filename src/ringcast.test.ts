import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const EXECUTABLE = fileURLToPath(new URL('./ringcast.ts', import.meta.url));

const run = (nodeOptions: readonly string[], ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, EXECUTABLE, ...args], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, stdout, stderr };
};

test('wrong usage ends with 2', () => {
  expect(run([], 'nonsense')).toEqual({ status: 2, stdout: '', stderr: "error: unknown command 'nonsense'\n" });
});

test('what fails ends with 1, and what is done with 0', () => {
  const nobody = ['--operator-url', 'http://127.0.0.1:1', '--operator-token', 'x'];
  expect(run([], 'calls', ...nobody)).toMatchObject({ status: 1, stdout: '' });
  expect(run([], 'serve', '--help')).toMatchObject({ status: 0, stderr: '' });
});

test('every setting of the server is a flag of serve', async () => {
  const { SETTINGS } = await import('./config-settings.ts');
  const { stdout } = run([], 'serve', '--help');
  for (const { flag, variable } of SETTINGS) {
    expect(stdout).toContain(`${flag} <value>`);
    expect(stdout).toContain(variable);
  }
});

test('an old Node gets one sentence and status 2, before anything else is loaded', () => {
  const old = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
  expect(run(['--import', `data:text/javascript,${encodeURIComponent(old)}`], 'serve', '--help')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'ringcast: Node 20.20.2 is too old: install Node 24 or newer (https://nodejs.org).\n',
  });
});
