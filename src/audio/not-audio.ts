import { AppError } from '../domain/app-error.ts';

/** A `not_audio` refusal: what is wrong with the file, and what to send instead. */
export const notAudio = (fault: string): AppError =>
  new AppError('not_audio', `${fault} Send a whole WAV, MP3, Ogg, FLAC, M4A, WebM, AAC, AMR, AIFF, AU or GSM file.`);
