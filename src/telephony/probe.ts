import { retryAfterOf } from '../sip/delta-seconds.ts';
import type { Hop } from '../sip/hop.ts';
import { EMPTY_BODY, type SipRequest } from '../sip/message.ts';
import { nameAddr, withTag } from '../sip/name-addr.ts';
import type { Params } from '../sip/params.ts';
import type { LocateTarget } from '../sip/server-location.ts';
import { asLogicalUri, bareHost, bracketHost, sipUri } from '../sip/uri.ts';
import { cleanReason } from './reason-text.ts';
import { contactOf, newBranch, type Signalling, USER_AGENT, viaOf } from './signalling.ts';

export const PROBE_PATIENCE_MS = 4_000;

/** What asking a peer showed. */
export interface ProbeResult {
  /** `degraded` if some of its addresses do not answer, `down` if none does. */
  readonly health: 'up' | 'degraded' | 'down';
  /** For how long a peer that is down wants to be left alone; null if it did not say. */
  readonly retryAfterMs: number | null;
  /** Why an address could not be asked, in a sentence; null if none is known. */
  readonly problem: string | null;
}

const buildOptions = (
  signalling: Signalling,
  { host, port }: LocateTarget,
  { transport }: Hop,
  localAddress: string,
): SipRequest => {
  const params: Params = transport === 'udp' ? [] : [['transport', transport]];
  const uri = sipUri({ host: bracketHost(bareHost(host)), port, params });
  const us = nameAddr(sipUri({ user: 'ringcast', host: bracketHost(localAddress) }));
  return {
    kind: 'request',
    method: 'OPTIONS',
    uri,
    vias: [viaOf(signalling, localAddress, newBranch(signalling.random))],
    from: withTag(us, signalling.random.hex(8)),
    to: nameAddr(asLogicalUri(uri)),
    callId: signalling.random.hex(16),
    cseq: { number: 1, method: 'OPTIONS' },
    maxForwards: 70,
    contacts: [contactOf(signalling, localAddress, transport)],
    routes: [],
    recordRoutes: [],
    headers: [{ name: 'Accept', value: 'application/sdp' }, USER_AGENT],
    contentType: null,
    body: EMPTY_BODY,
  };
};

interface Answer {
  readonly isUp: boolean;
  readonly retryAfterSeconds: number | null;
  readonly problem: string | null;
}

const SILENCE: Answer = { isUp: false, retryAfterSeconds: null, problem: null };

const mute = (error: Error): Answer => ({ ...SILENCE, problem: cleanReason(error.message) });

/** Up is any final answer but 503, even a refusal: somebody speaks SIP there. */
const ask = (signalling: Signalling, request: SipRequest, hop: Hop): Promise<Answer> =>
  new Promise((resolve) => {
    const finish = (answer: Answer): void => {
      stopWaiting();
      resolve(answer);
    };
    const stop = signalling.clients.start(request, hop, {
      onResponse: (response) => {
        const isUp = response.status !== 503;
        if (response.status < 200) return;
        finish({ isUp, retryAfterSeconds: isUp ? null : retryAfterOf(response), problem: null });
      },
      onFailure: (_failure, error) => finish(error ? mute(error) : SILENCE),
    });
    const stopWaiting = signalling.wakeAfter(PROBE_PATIENCE_MS, () => {
      stop();
      resolve(SILENCE);
    });
  });

/** Asks one address, and notes for the calls to come whether it answers. */
const askHop = async (signalling: Signalling, target: LocateTarget, hop: Hop): Promise<Answer> => {
  signalling.meet(hop);
  const localAddress = await signalling.findLocalAddress(hop);
  const answer = await ask(signalling, buildOptions(signalling, target, hop, localAddress), hop);
  if (answer.isUp) signalling.hops.answered(hop);
  else signalling.hops.failed(hop, answer.retryAfterSeconds === null ? null : 1000 * answer.retryAfterSeconds);
  return answer;
};

const judge = (answers: readonly Answer[]): ProbeResult => {
  const up = answers.filter(({ isUp }) => isUp).length;
  const health = up === answers.length ? 'up' : up > 0 ? 'degraded' : 'down';
  const waits = answers.flatMap(({ retryAfterSeconds }) => (retryAfterSeconds === null ? [] : [retryAfterSeconds]));
  const retryAfterMs = health === 'down' && waits.length > 0 ? 1000 * Math.min(...waits) : null;
  return { health, retryAfterMs, problem: answers.find(({ problem }) => problem !== null)?.problem ?? null };
};

/**
 * Asks every address of a peer by OPTIONS (RFC 3261 11) whether it is there, all at once. Never rejects: what cannot be
 * found or sent to is down.
 */
export const probePeer = async (signalling: Signalling, target: LocateTarget): Promise<ProbeResult> => {
  try {
    const hops = await signalling.locate(target);
    return judge(await Promise.all(hops.map((hop) => askHop(signalling, target, hop).catch(mute))));
  } catch (error) {
    return judge([mute(error as Error)]);
  }
};
