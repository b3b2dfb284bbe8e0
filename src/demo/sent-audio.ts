import { readFile } from 'node:fs/promises';
import type { Application } from '../cli/api-shapes.ts';
import { decodeUlaw } from '../rtp/g711.ts';
import { readWav } from '../rtp/wav.ts';
import type { SentPart } from './compare.ts';
import type { Provision } from './provision.ts';

const BUILT_IN_GREETING = new URL('../../assets/greeting.pcmu', import.meta.url);

const audioOf = async (made: Provision, mediaId: string): Promise<Int16Array> =>
  readWav(await made.application.download(`/api/v1/media/${encodeURIComponent(mediaId)}/audio`)).samples;

/** The default greeting: the built-in one, unless the operator of this data directory chose another. */
const greetingAudio = async (made: Provision): Promise<Int16Array> => {
  const settings = await made.operator.request<{ defaultGreetingId: string | null }>({
    method: 'GET',
    path: '/operator/v1/settings',
  });
  const mediaId = settings.value.defaultGreetingId;
  if (mediaId === null) return decodeUlaw(await readFile(BUILT_IN_GREETING));
  // The demo's application may fetch only what is associated with it.
  const path = `/operator/v1/media/${encodeURIComponent(mediaId)}/applications/${encodeURIComponent(made.applicationId)}`;
  await made.operator.request({ method: 'PUT', path });
  return audioOf(made, mediaId);
};

/** How much silence the application has around its clips. */
const silencesOf = async ({ operator, applicationId }: Provision): Promise<Application> => {
  const path = `/operator/v1/applications/${encodeURIComponent(applicationId)}`;
  return (await operator.request<Application>({ method: 'GET', path })).value;
};

const SAMPLES_PER_MS = 8;

const silence = (label: string, ms: number | undefined): SentPart => ({
  label,
  samples: new Int16Array((ms ?? 0) * SAMPLES_PER_MS),
});

/**
 * What the phone must hear: the greeting, then the clips as the server gives them out, all decoded from G.711, and the
 * silences around them.
 */
export const sentAudio = async (made: Provision, mediaIds: readonly string[]): Promise<SentPart[]> => {
  const { leadInMs, gapMs, tailMs } = await silencesOf(made);
  const parts = [silence('lead-in', leadInMs), { label: 'greeting', samples: await greetingAudio(made) }];
  for (const [index, mediaId] of mediaIds.entries()) {
    const label = `clip ${index + 1} of ${mediaIds.length}`;
    parts.push(silence('gap', gapMs), { label, samples: await audioOf(made, mediaId) });
  }
  parts.push(silence('tail', tailMs));
  return parts.filter(({ samples }) => samples.length > 0);
};
