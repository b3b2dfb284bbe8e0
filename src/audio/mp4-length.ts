import { listBoxes } from './mp4-boxes.ts';
import { type Octets, readAt } from './octets.ts';

const MAX_MOVIE_BYTES = 4 * 1024 * 1024;

/** The movie box of an MP4 file, wherever it stands (ISO/IEC 14496-12 8.2.1); null if there is none to be found. */
const readMovie = async (file: Octets): Promise<Buffer | null> => {
  const movie = (await listBoxes(file)).find(({ name }) => name === 'moov');
  return movie ? readAt(file, movie.offset, Math.min(movie.bytes, MAX_MOVIE_BYTES)) : null;
};

/** Where the content of the first box of this name begins, -1 if there is none. */
const contentOf = (movie: Buffer, name: string): number => {
  const at = movie.indexOf(name, 0, 'latin1');
  return at < 0 ? -1 : at + 4;
};

/**
 * The seconds that the edit list of an MP4 file plays (ISO/IEC 14496-12 8.6.6): encoders fill up their last packet,
 * and tell so here. Null if there is none, or several edits.
 */
export const readEditSeconds = async (file: Octets): Promise<number | null> => {
  const movie = await readMovie(file);
  if (movie === null) return null;
  const [header, edits] = [contentOf(movie, 'mvhd'), contentOf(movie, 'elst')];
  if (header < 0 || edits < 0 || edits + 16 > movie.length || header + 28 > movie.length) return null;
  const timescale = movie.readUInt32BE(header + (movie[header] === 1 ? 20 : 12));
  if (movie.readUInt32BE(edits + 4) !== 1 || timescale === 0) return null;
  const isLong = movie[edits] === 1;
  return (isLong ? Number(movie.readBigUInt64BE(edits + 8)) : movie.readUInt32BE(edits + 8)) / timescale;
};
