import { AppError } from '../domain/app-error.ts';

/** Uploads received at once; each has a connection and perhaps a scratch file. */
const MAX_UPLOADS = 500;

/** Lets so many run at once. One more is refused at once with `ingest_busy`. */
export const createUploadPlaces = (places = MAX_UPLOADS) => {
  let taken = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (taken >= places) throw new AppError('ingest_busy', 'Too many uploads are under way: try again in a moment.');
    taken += 1;
    try {
      return await work();
    } finally {
      taken -= 1;
    }
  };
};
