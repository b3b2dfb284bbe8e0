import { setTimeout as pause } from 'node:timers/promises';
import type { Api, Reply } from './api-client.ts';
import type { Blast } from './api-shapes.ts';
import { segment } from './options.ts';

export interface Watch {
  readonly everyMs: number;
  readonly onProgress: (blast: Blast) => void;
  readonly signal?: AbortSignal;
}

/** Reads a blast again and again until it has finished; the last answer. Ends early, by throwing, on `signal`. */
export const watchBlast = async (api: Api, blastId: string, watch: Watch): Promise<Reply<Blast>> => {
  for (;;) {
    const reply = await api.request<Blast>({ method: 'GET', path: `/api/v1/blasts/${segment(blastId)}` });
    watch.onProgress(reply.value);
    if (reply.value.state !== 'active' && reply.value.calls.every((call) => call.state === 'finished')) return reply;
    await pause(watch.everyMs, undefined, watch.signal ? { signal: watch.signal } : {});
  }
};
