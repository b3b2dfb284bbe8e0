import { write, writeSync } from 'node:fs';

export interface LogWriter {
  write(line: string): void;
}

/** Characters that wait for a slow reader; what comes then is dropped. */
const MAX_WAITING = 4 * 1024 * 1024;
const TRY_AGAIN_MS = 20;

/**
 * Writes lines to a file descriptor, in the background and at the exit of the process. What cannot be written, because
 * the disk is full or the reader gone, is dropped: nothing waits for it, not even the exit, so that what is being written
 * then may come after what waited behind it.
 */
export const createLogWriter = (fd: number): LogWriter => {
  let waiting = '';
  let isWriting = false;

  const next = (): void => {
    if (isWriting || waiting === '') return;
    isWriting = true;
    const lines = Buffer.from(waiting);
    waiting = '';
    send(lines);
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
      writeSync(fd, waiting);
    } catch {
      // Nobody can be told.
    }
  });
  return {
    write(line) {
      if (waiting.length + line.length > MAX_WAITING) return;
      waiting += line;
      next();
    },
  };
};
