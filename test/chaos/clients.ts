import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from '../support/ringcast.ts';
import { toneWav } from '../support/scenario.ts';
import type { Post, Upload } from './evidence.ts';
import type { Fleet } from './fleet.ts';

/** What was set up for the clients, before anything is killed. */
export interface Account {
  readonly appKey: string;
  readonly networkIds: readonly string[];
  readonly callsOfNetwork: number;
  /** Holds a short clip: greeting and message of every blast. */
  readonly mediaId: string;
}

export interface Clients {
  readonly posts: readonly Post[];
  readonly uploads: readonly Upload[];
  /** Posts a blast until it holds a 202, at whichever node answers; one in ten is cancelled at once. */
  blast(): Promise<void>;
  /** Gets a grant, and sends two files at once with it, until one of them is taken. */
  upload(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** A stopped process takes connections, and never answers. */
const ANSWER_WITHIN_MS = 6000;
/** Decoding takes its time on a machine that has much else to do. */
const UPLOADED_WITHIN_MS = 60_000;
const BEFORE_NEXT_TRY_MS = 200;
const WAV = toneWav(440, 10);

/** Calling programs as they should be: what was not answered is asked again, under the same key. */
export const createClients = (fleet: Fleet, account: Account): Clients => {
  const posts: Post[] = [];
  const uploads: Upload[] = [];
  let posted = 0;

  /** Null if no whole answer came. */
  const tryOnce = async (path: string, init: RequestInit): Promise<Answer | null> => {
    const { publicUrl } = (await fleet.anyNode()).endpoints;
    try {
      const withinMs = init.method === 'PUT' ? UPLOADED_WITHIN_MS : ANSWER_WITHIN_MS;
      const response = await fetch(publicUrl + path, { ...init, signal: AbortSignal.timeout(withinMs) });
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
    } catch {
      return null;
    }
  };

  const until = async (wanted: number, path: string, init: RequestInit, other = wanted): Promise<Answer> => {
    for (;;) {
      const answer = await tryOnce(path, init);
      if (answer && [wanted, other].includes(answer.status)) return answer;
      if (answer && answer.status < 500 && answer.status !== 409)
        throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      await delay(BEFORE_NEXT_TRY_MS);
    }
  };

  const form = (fields: Record<string, string>, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers,
    body: new URLSearchParams({ ...fields, appkey: account.appKey }),
  });
  const authorization = `Bearer ${account.appKey}`;
  const json = { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: '{}' };

  const sendFile = async (uri: string): Promise<number> => {
    const { status } = await until(201, uri, { method: 'PUT', body: WAV }, 410);
    return status === 201 ? 1 : 0;
  };

  return {
    posts,
    uploads,
    async blast() {
      const idempotencyKey = randomUUID();
      const networkid = account.networkIds[posted++ % account.networkIds.length] ?? '';
      const fields = { action: 'blast', networkid, greetingid: account.mediaId };
      const init = form(fields, { 'idempotency-key': idempotencyKey });
      const { headers } = await until(202, `/api/rest/media/${account.mediaId}`, init);
      const blastId = headers.get('location')?.split('/').at(-1) ?? '';
      posts.push({ idempotencyKey, blastId, calls: account.callsOfNetwork });
      if (posts.length % 10 === 0)
        await tryOnce(`/api/v1/blasts/${blastId}/cancel`, { method: 'POST', headers: { authorization } });
    },
    async upload() {
      const mediaId: string = (await until(201, '/api/v1/media', json)).body.id;
      const granted = await until(201, `/api/rest/media/${mediaId}`, form({ action: 'upload_grant' }));
      const { uri } = granted.body.UploadResponse;
      await tryOnce(uri, { method: 'PUT', body: 'no audio' });
      const [first, second] = await Promise.all([sendFile(uri), sendFile(uri)]);
      uploads.push({ mediaId, created: first + second });
    },
  };
};
