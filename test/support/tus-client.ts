import type { HttpFixture } from './http-fixture.ts';

export const PART_TYPE = 'application/offset+octet-stream';

/** tus by hand, request by request. */
export const tusClient = (server: () => Pick<HttpFixture, 'publicUrl'>) => {
  const send = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Uint8Array<ArrayBuffer>,
  ) =>
    fetch(new URL(path, server().publicUrl), {
      method,
      headers: { 'tus-resumable': '1.0.0', ...headers },
      ...(body === undefined ? {} : { body }),
    });

  const create = (uri: string, sizeBytes: number, headers: Record<string, string> = {}) =>
    send('POST', uri, { 'upload-length': String(sizeBytes), ...headers });

  /** Begins an upload and gives its path. */
  const begin = async (uri: string, sizeBytes: number, headers: Record<string, string> = {}): Promise<string> => {
    const response = await create(uri, sizeBytes, headers);
    if (response.status !== 201) throw new Error(`creation answered ${response.status}: ${await response.text()}`);
    return response.headers.get('location') ?? '';
  };

  const patch = (
    path: string,
    offset: number,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => send('PATCH', path, { 'upload-offset': String(offset), 'content-type': PART_TYPE, ...headers }, body);

  const offsetOf = async (path: string): Promise<number> =>
    Number((await send('HEAD', path)).headers.get('upload-offset') ?? Number.NaN);

  return { send, create, begin, patch, offsetOf };
};
