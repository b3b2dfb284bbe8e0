import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Failure } from '../cli/failure.ts';
import { type Child, type ChildOptions, EndedEarly, startChild } from './child.ts';

let directory: string;
let child: Child | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-child-'));
});
afterEach(async () => {
  await child?.stop();
  child = undefined;
  await rm(directory, { recursive: true });
});

const WITHIN_MS = 20_000;
const NEVER = new AbortController().signal;
const RUN_ON = 'setInterval(() => {}, 1000);';
const isReady = (said: Readonly<Record<string, unknown>>): boolean => said.ready === true;

const start = async (program: string, options: Partial<ChildOptions> = {}): Promise<Child> => {
  const executable = join(directory, 'program.mjs');
  await writeFile(executable, program);
  child = startChild({ name: 'the server', executable, args: [], environment: process.env, signal: NEVER, ...options });
  return child;
};

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

test('lines of JSON are found, whether they came before or come later', async () => {
  const running = await start(`
    console.log('words for people');
    console.log(JSON.stringify({ ready: true, args: process.argv.slice(2) }));
    process.on('SIGTERM', () => process.exit(0));
    ${RUN_ON}`);
  expect((await running.untilSaid(isReady, WITHIN_MS)).args).toEqual([]);
  expect((await running.untilSaid(isReady, WITHIN_MS)).args).toEqual([]);
});

test('arguments and environment reach the program', async () => {
  const running = await start(
    `console.log(JSON.stringify({ args: process.argv.slice(2), token: process.env.RINGCAST_X ?? null })); ${RUN_ON}`,
    { args: ['serve', '--data-dir', 'a b'], environment: { PATH: process.env.PATH } },
  );
  expect(await running.untilSaid(() => true, WITHIN_MS)).toEqual({ args: ['serve', '--data-dir', 'a b'], token: null });
});

test('one that ends early is told with its last log lines, and controls in them cannot reach the terminal', async () => {
  const running = await start(`
    for (let n = 1; n <= 20; n++) console.error('line ' + n);
    console.error('port 8080 is taken\\x1b[2J');
    process.exitCode = 1;`);
  const error = await failureOf(running.untilSaid(isReady, WITHIN_MS));
  expect(error).toBeInstanceOf(EndedEarly);
  const { message } = error as Failure;
  expect(message).toMatch(/^the server ended early; its last words:\n/);
  expect(message).toMatch(/port 8080 is taken\\u001b\[2J$/);
  expect(message).not.toContain('line 10\n');
});

test('one that says nothing in time is told', async () => {
  const running = await start(RUN_ON);
  expect(await failureOf(running.untilSaid(isReady, 1))).toMatchObject({
    message: 'the server did not answer in time.',
  });
});

test('the wait ends with the reason of the signal', async () => {
  const controller = new AbortController();
  const running = await start(RUN_ON, { signal: controller.signal });
  const waited = failureOf(running.untilSaid(isReady, WITHIN_MS));
  const reason = new Failure('ended by SIGINT.');
  controller.abort(reason);
  expect(await waited).toBe(reason);
});

test('stop ends it by SIGTERM and waits until it is gone', async () => {
  const running = await start(`
    process.on('SIGTERM', () => { console.log('{"said":"bye"}'); process.exit(0); });
    console.log('{"ready":true}');
    ${RUN_ON}`);
  await running.untilSaid(isReady, WITHIN_MS);
  await running.stop();
  await running.exited;
  expect(await running.untilSaid((said) => said.said === 'bye', WITHIN_MS)).toEqual({ said: 'bye' });
});

test('stop can be asked for twice, and after the end', async () => {
  const running = await start('');
  await running.exited;
  await Promise.all([running.stop(), running.stop()]);
});

test('a program that cannot be started has ended early', async () => {
  const running = await start('', { executable: join(directory, 'nowhere.mjs') });
  expect(await failureOf(running.untilSaid(isReady, WITHIN_MS))).toMatchObject({
    message: expect.stringMatching(/^the server ended early/),
  });
});
