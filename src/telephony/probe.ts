import type { Hop, TransportName } from '../sip/hop.ts';
import type { SipRequest } from '../sip/message.ts';
import { EMPTY_BODY } from '../sip/message.ts';
import { nameAddr, withTag } from '../sip/name-addr.ts';
import type { Params } from '../sip/params.ts';
import { asLogicalUri, bareHost, bracketHost, sipUri } from '../sip/uri.ts';
import { contactOf, newBranch, type Signalling, USER_AGENT, viaOf } from './signalling.ts';

export const PROBE_PATIENCE_MS = 4_000;

export interface ProbeTarget {
  readonly host: string;
  readonly port: number | null;
  readonly transport: TransportName;
}

const buildOptions = (
  signalling: Signalling,
  { host, port, transport }: ProbeTarget,
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

/** True for any final answer but 503, even a refusal: somebody speaks SIP there. */
const ask = (signalling: Signalling, request: SipRequest, peer: Hop): Promise<boolean> =>
  new Promise((resolve) => {
    const finish = (isUp: boolean): void => {
      stopWaiting();
      resolve(isUp);
    };
    const stop = signalling.clients.start(request, peer, {
      onResponse: ({ status }) => {
        if (status >= 200) finish(status !== 503);
      },
      onFailure: () => finish(false),
    });
    const stopWaiting = signalling.wakeAfter(PROBE_PATIENCE_MS, () => {
      stop();
      resolve(false);
    });
  });

/** Asks a peer by OPTIONS (RFC 3261 11) whether it is there. Never rejects: what cannot be found or sent to is down. */
export const probePeer = async (signalling: Signalling, target: ProbeTarget): Promise<boolean> => {
  try {
    const peer = await signalling.locate(target.host, target.port, target.transport);
    const localAddress = await signalling.findLocalAddress(peer);
    signalling.meet(peer);
    return await ask(signalling, buildOptions(signalling, target, localAddress), peer);
  } catch (error) {
    signalling.log.debug({ err: error, host: target.host }, 'a peer could not be probed');
    return false;
  }
};
