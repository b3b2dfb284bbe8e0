import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWav } from '../rtp/wav.ts';

const SAMPLE_RATE_HZ = 8_000;
const MAX_CALL_ID_LENGTH = 80;

/** A Call-ID is the caller's to choose: nothing of it may leave the folder or surprise a shell. */
const sanitise = (sipCallId: string): string => sipCallId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_CALL_ID_LENGTH);

/** Name of a call's recording: when it was answered, its Call-ID, and our tag, which tells apart what sanitises alike. */
export const recordingName = (call: { answeredAt: number; sipCallId: string; localTag: string }): string => {
  const time = new Date(call.answeredAt).toISOString().replace(/[-:]/g, '');
  return `${time}-${sanitise(call.sipCallId)}-${call.localTag}.wav`;
};

/** Writes a recording into a folder that exists; returns its path. Never overwrites a file. */
export const writeRecording = async (directory: string, name: string, samples: Int16Array): Promise<string> => {
  const path = join(directory, name);
  await writeFile(path, writeWav(samples, SAMPLE_RATE_HZ), { flag: 'wx' });
  return path;
};
