import type { TextStream } from './output.ts';
import { bar } from './progress.ts';

/** Shows how far an upload is. */
export interface UploadBar {
  show(sentBytes: number, totalBytes: number): void;
  /** What holds it up, until it goes on. */
  note(text: string): void;
  /** Takes it away. */
  end(): void;
}

const BYTES_PER_MB = 1_000_000;

const inMegabytes = (bytes: number): string => (bytes / BYTES_PER_MB).toFixed(1);

/** `[######......]  25 %  0.5 of 2.0 MB`; at the end the server still has to decode. */
export const uploadLine = (sentBytes: number, totalBytes: number): string => {
  const percent = totalBytes <= 0 ? 100 : Math.floor((100 * sentBytes) / totalBytes);
  const amount =
    sentBytes < totalBytes
      ? `${inMegabytes(sentBytes)} of ${inMegabytes(totalBytes)} MB`
      : `${inMegabytes(totalBytes)} MB sent; the server decodes it`;
  return `${bar(sentBytes, totalBytes)} ${String(percent).padStart(3)} %  ${amount}`;
};

/** One line that is drawn over; nothing at all where that cannot be done. */
export const createUploadBar = (stream: TextStream): UploadBar => {
  const draw = (text: string): void => {
    if (stream.isTTY) stream.write(`\r\x1b[K${text}`);
  };
  return {
    show: (sentBytes, totalBytes) => draw(`  ${uploadLine(sentBytes, totalBytes)}`),
    note: (text) => draw(`  ${text}`),
    end: () => draw(''),
  };
};
