import { write, writeSync } from 'node:fs';

export interface LogWriter {
  write(line: string): void;
}

/** Characters that wait for a slow reader; lines that come then are dropped and counted. */
const MAX_WAITING = 4 * 1024 * 1024;
const TRY_AGAIN_MS = 20;

/**
 * Writes lines to a file descriptor, in the background and at the exit of the process. What cannot be written, because
 * the disk is full or the reader gone, is dropped: nothing waits for it, not even the exit, so that what is being written
 * then may come after what waited behind it. In the place of lines that did not fit stands the one that `lineOfDropped`
 * makes of their number.
 */
export const createLogWriter = (fd: number, lineOfDropped: (lines: number) => string): LogWriter => {
  let waiting = '';
  let dropped = 0;
  let isWriting = false;

  const take = (): string => {
    const lines = dropped > 0 ? waiting + lineOfDropped(dropped) : waiting;
    waiting = '';
    dropped = 0;
    return lines;
  };
  const next = (): void => {
    if (isWriting || waiting === '') return;
    isWriting = true;
    send(Buffer.from(take()));
  };
  const send = (lines: Buffer): void =>
    write(fd, lines, (error, written) => {
      const rest = lines.subarray(written);
      if (error?.code === 'EAGAIN') setTimeout(send, TRY_AGAIN_MS, lines);
      else if (!error && rest.length > 0) send(rest);
      else {
        isWriting = false;
        next();
      }
    });

  process.on('exit', () => {
    try {
      writeSync(fd, take());
    } catch {
      // Nobody can be told.
    }
  });
  return {
    write(line) {
      if (waiting.length + line.length > MAX_WAITING) dropped += 1;
      else waiting += line;
      next();
    },
  };
};
