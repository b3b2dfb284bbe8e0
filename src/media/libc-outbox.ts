import { type Libc, MSG_DONTWAIT } from './libc.ts';

/** A message that the kernel did not take, and why. */
export type OnFailed = (row: number, errno: number) => void;

/** Takes `struct msghdr`s to the kernel, `MAX_BATCH` at most between two flushes. */
export interface LibcOutbox {
  /** The message and what it points to stay as they are until the next flush. */
  put(fd: number, message: number, row: number): void;
  flush(onFailed: OnFailed): void;
}

/** A system call a message. */
export const createSendmsgOutbox = (libc: Libc): LibcOutbox => {
  const failures: { readonly row: number; readonly errno: number }[] = [];
  return {
    put(fd, message, row) {
      if (libc.sendmsg(fd, message, MSG_DONTWAIT) < 0) failures.push({ row, errno: libc.errno() });
    },
    flush(onFailed) {
      for (const { row, errno } of failures.splice(0)) onFailed(row, errno);
    },
  };
};
