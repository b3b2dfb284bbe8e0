import type { FastifyReply } from 'fastify';
import { CHECKSUM_ALGORITHMS } from './tus-checksum.ts';

const REQUEST_HEADERS = [
  '*',
  'Content-Digest',
  'Content-Type',
  'Repr-Digest',
  'Tus-Resumable',
  'Upload-Checksum',
  'Upload-Grant',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-HTTP-Method-Override',
  'X-Requested-With',
].join(', ');

const RESPONSE_HEADERS = [
  'Location',
  'Retry-After',
  'Tus-Checksum-Algorithm',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
].join(', ');

export const TUS_VERSION = '1.0.0';

/** Cross-origin uploads from browsers, on this path alone. No cookie or key is involved, so any origin will do. */
export const allowAnyOrigin = (reply: FastifyReply): void => {
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', RESPONSE_HEADERS);
};

/** Answers OPTIONS: a browser's preflight, and what a tus client asks a server about itself. */
export const answerOptions = (reply: FastifyReply, methods: string, maxUploadBytes: number): void => {
  reply
    .code(204)
    .headers({
      allow: `${methods}, OPTIONS`,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': '7200',
      'tus-resumable': TUS_VERSION,
      'tus-version': TUS_VERSION,
      'tus-extension': 'creation,creation-with-upload,termination,checksum,expiration',
      'tus-max-size': String(maxUploadBytes),
      'tus-checksum-algorithm': CHECKSUM_ALGORITHMS,
    })
    .send();
};
