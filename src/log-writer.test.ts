import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

/** Writes 200 lines of 1,000 characters to standard error, most of them at once and then one a turn. */
const SCRIPT = `
  const { createLogWriter } = await import(process.argv[1]);
  const writer = createLogWriter(2);
  const line = (at) => String(at).padStart(999, '.') + '\\n';
  for (let at = 0; at < 180; at++) writer.write(line(at));
  for (let at = 180; at < 200; at++) {
    writer.write(line(at));
    await new Promise(setImmediate);
  }
`;
const EXIT = 'process.exit(0);';
const WRITER = new URL('./log-writer.ts', import.meta.url).href;

const start = (end: string): ChildProcess =>
  spawn(process.execPath, ['--input-type=module', '-e', SCRIPT + end, WRITER], { stdio: ['ignore', 'ignore', 'pipe'] });

/** The numbers of the lines that came. */
const linesOf = async (child: ChildProcess): Promise<number[]> => {
  let text = '';
  child.stderr?.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  const lines = text.trim().split('\n');
  return lines.map((line) => Number(line.replace(/^\.+/, '')));
};

const ALL = Array.from({ length: 200 }, (_, at) => at);

const statusOf = async (child: ChildProcess): Promise<number | null> => {
  const [status] = await once(child, 'exit');
  return status;
};

describe('the log', () => {
  it('is written whole and in order to whoever reads', async () => {
    expect(await linesOf(start(''))).toEqual(ALL);
  });

  it('is whole after an exit in the middle, though what was being written may come last', async () => {
    expect((await linesOf(start(EXIT))).toSorted((a, b) => a - b)).toEqual(ALL);
  });

  it('whose reader is gone holds nobody up', async () => {
    const child = start(EXIT);
    child.stderr?.destroy();
    expect(await statusOf(child)).toBe(0);
  });
});
