import { writeWav } from '../../src/rtp/wav.ts';
import type { Api, Json } from './ringcast.ts';

export interface Scenario {
  readonly appKey: string;
  readonly applicationId: string;
  readonly networkId: string;
}

/** An application that may call `destinations`. */
export const makeScenario = async (
  api: Api,
  destinations: readonly string[],
  application: Record<string, unknown> = {},
): Promise<Scenario> => {
  const created = must(201, await api.operator('POST', '/applications', { name: 'test', ...application }));
  const network = must(201, await api.operator('POST', '/networks', { destinations, applicationIds: [created.id] }));
  return { appKey: created.appKey.secret, applicationId: created.id, networkId: network.id };
};

/** A media that holds `wav`, uploaded through a real grant. */
export const uploadMedia = async (api: Api, appKey: string, wav: Uint8Array<ArrayBuffer>): Promise<string> => {
  const media = must(201, await api.application('POST', '/media', appKey, {}));
  const grant = must(201, await api.requestGrant(media.id, appKey)).UploadResponse;
  must(201, await api.upload(grant.uri, wav));
  return media.id;
};

/** A tone of `frames` 20 ms frames: 8 kHz, so that it passes ingest without resampling. */
export const toneWav = (frequencyHz: number, frames: number): Uint8Array<ArrayBuffer> => {
  const sample = (_: unknown, index: number): number =>
    Math.round(8000 * Math.sin((2 * Math.PI * frequencyHz * index) / 8000));
  return new Uint8Array(writeWav(Int16Array.from({ length: frames * 160 }, sample), 8000));
};

/** Polls a blast until `isThere` holds; the test's own time-out bounds it. */
export const blastUntil = async (
  api: Api,
  appKey: string,
  blastId: string,
  isThere: (blast: Json) => boolean,
): Promise<Json> => {
  for (;;) {
    const blast = must(200, await api.application('GET', `/blasts/${blastId}`, appKey));
    if (isThere(blast)) return blast;
  }
};

export const blastIdOf = (answer: { headers: Headers }): string =>
  answer.headers.get('location')?.split('/').at(-1) ?? '';

export const must = (status: number, answer: { status: number; body: Json }): Json => {
  if (answer.status !== status)
    throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};
