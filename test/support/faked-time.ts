import { globSync, renameSync, writeFileSync } from 'node:fs';

/** Debian's libfaketime, null where it is not installed. */
export const FAKETIME = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0] ?? null;

/** How to get it, or null where it is. */
export const LACK_OF_FAKETIME = FAKETIME ? null : 'libfaketime is not installed: apt-get install faketime';

/** What starts a process whose wall clock, and that alone, is off by what the file says, as of now. */
export const fakedTime = (library: string, file: string): Readonly<Record<string, string>> => ({
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_NO_CACHE: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

/** Sets the clock of those processes, whole at once. */
export const setClockBy = (file: string, seconds: number): void => {
  writeFileSync(`${file}.next`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  renameSync(`${file}.next`, file);
};
