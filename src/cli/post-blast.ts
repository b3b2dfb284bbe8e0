import type { Api, Reply } from './api-client.ts';
import type { MediaAnswer } from './api-shapes.ts';
import { Failure } from './failure.ts';
import { segment } from './options.ts';

export interface BlastForm {
  readonly mediaIds: readonly string[];
  readonly networkId: string;
  readonly appKey: string;
  readonly greetingId?: string;
  readonly idempotencyKey?: string;
}

/** Asks for a blast through the seed interface. The blast's id comes from `Location`. */
export const postBlast = async (
  api: Api,
  blast: BlastForm,
): Promise<{ blastId: string; reply: Reply<MediaAnswer> }> => {
  const reply = await api.request<MediaAnswer>({
    method: 'POST',
    path: `/api/rest/media/${blast.mediaIds.map(segment).join('-')}`,
    form: {
      action: 'blast',
      networkid: blast.networkId,
      appkey: blast.appKey,
      ...(blast.greetingId === undefined ? {} : { greetingid: blast.greetingId }),
    },
    headers: blast.idempotencyKey === undefined ? {} : { 'idempotency-key': blast.idempotencyKey },
  });
  const blastId = reply.headers.get('location')?.split('/').at(-1);
  if (!blastId) throw new Failure(`${api.baseUrl} accepted the blast without naming it: is it a Ringcast server?`);
  return { blastId: decodeURIComponent(blastId), reply };
};
