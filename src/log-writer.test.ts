import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

/** Writes 200 lines of 1,000 characters to standard error, most of them at once and then one a turn, and ends. */
const SCRIPT = `
  const { createLogWriter } = await import(process.argv[1]);
  const writer = createLogWriter(2);
  const line = (at) => String(at).padStart(999, '.') + '\\n';
  for (let at = 0; at < 180; at++) writer.write(line(at));
  for (let at = 180; at < 200; at++) {
    writer.write(line(at));
    await new Promise(setImmediate);
  }
  process.exit(0);
`;
const WRITER = new URL('./log-writer.ts', import.meta.url).href;

const start = (): ChildProcess =>
  spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, WRITER], { stdio: ['ignore', 'ignore', 'pipe'] });

const statusOf = async (child: ChildProcess): Promise<number | null> => {
  const [status] = await once(child, 'exit');
  return status;
};

describe('the log', () => {
  it('is written whole and in order to whoever reads', async () => {
    const child = start();
    let text = '';
    child.stderr?.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    await once(child, 'close');
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => Number(line.replace(/^\.+/, ''))),
    ).toEqual(Array.from({ length: 200 }, (_, at) => at));
  });

  it('whose reader is gone holds nobody up', async () => {
    const child = start();
    child.stderr?.destroy();
    expect(await statusOf(child)).toBe(0);
  });
});
