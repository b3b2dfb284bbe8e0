import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { multipartPieces, putPieces } from './upload-body.ts';

/** A request whose line broke while its grant was being claimed. */
const broken = async (): Promise<FastifyRequest> => {
  const raw = new Readable({ read: () => undefined });
  await new Promise((resolve) =>
    raw
      .on('error', () => undefined)
      .on('close', resolve)
      .destroy(new Error('reset')),
  );
  return { raw, headers: {}, isMultipart: () => true } as unknown as FastifyRequest;
};

describe('a line that broke before its body was read', () => {
  it.each([
    ['PUT', putPieces],
    ['POST', multipartPieces],
  ])('is a cut one for %s, and nobody waits for it', async (_, pieces) => {
    await expect(pieces(await broken()).next()).rejects.toMatchObject({ code: 'upload_cut' });
  });
});
