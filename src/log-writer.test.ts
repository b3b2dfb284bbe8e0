import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

/** Writes 200 lines of 1,000 characters to standard error, most of them at once and then one a turn. */
const SCRIPT = `
  const { createLogWriter } = await import(process.argv[1]);
  const writer = createLogWriter(2, (lines) => lines + ' dropped\\n');
  const line = (at) => String(at).padStart(999, '.') + '\\n';
  for (let at = 0; at < 180; at++) writer.write(line(at));
  for (let at = 180; at < 200; at++) {
    writer.write(line(at));
    await new Promise(setImmediate);
  }
`;
const EXIT = 'process.exit(0);';
/** 5,000 lines more in one turn of the event loop: nothing is read meanwhile. */
const MANY = 'for (let at = 0; at < 5000; at++) writer.write(line(at));';
const WRITER = new URL('./log-writer.ts', import.meta.url).href;

const start = (end: string): ChildProcess =>
  spawn(process.execPath, ['--input-type=module', '-e', SCRIPT + end, WRITER], { stdio: ['ignore', 'ignore', 'pipe'] });

const linesOf = async (child: ChildProcess): Promise<string[]> => {
  let text = '';
  child.stderr?.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  return text.trim().split('\n');
};

const numbersOf = async (child: ChildProcess): Promise<number[]> =>
  (await linesOf(child)).map((line) => Number(line.replace(/^\.+/, '')));

const ALL = Array.from({ length: 200 }, (_, at) => at);

const statusOf = async (child: ChildProcess): Promise<number | null> => {
  const [status] = await once(child, 'exit');
  return status;
};

describe('the log', () => {
  it('is written whole and in order to whoever reads', async () => {
    expect(await numbersOf(start(''))).toEqual(ALL);
  });

  it('is whole after an exit in the middle, though what was being written may come last', async () => {
    expect((await numbersOf(start(EXIT))).toSorted((a, b) => a - b)).toEqual(ALL);
  });

  it.each([
    ['when it flows again', ''],
    ['at the exit', EXIT],
  ])('tells %s how many lines did not fit', async (_when, end) => {
    const lines = await linesOf(start(MANY + end));
    const told = lines.filter((line) => line.endsWith(' dropped'));
    expect(told).toHaveLength(1);
    const kept = lines.length - told.length;
    expect(kept).toBeLessThan(ALL.length + 5000);
    expect(kept + Number.parseInt(told[0] ?? '', 10)).toBe(ALL.length + 5000);
  });

  it('whose reader is gone holds nobody up', async () => {
    const child = start(EXIT);
    child.stderr?.destroy();
    expect(await statusOf(child)).toBe(0);
  });
});
