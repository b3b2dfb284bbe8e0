import { isIPv6 } from 'node:net';
import { wakeAfter } from './clock.ts';
import type { Closers } from './closers.ts';
import type { SipTraceLimits } from './config.ts';
import type { Metrics } from './domain/metrics.ts';
import type { Log, PlaceCall } from './domain/ports.ts';
import type { Store } from './domain/store-port.ts';
import { createFindLocalAddress } from './telephony/local-address.ts';
import type { SipTransport } from './telephony/sip-transport.ts';
import { tracedTransport } from './telephony/traced-transport.ts';
import { createSipRecorder, type SipRecorder, type SipRecorderOptions } from './trace/recorder.ts';

interface Parts {
  readonly store: Store;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly closers: Closers;
}

/** What records the SIP messages of calls: between transport and user agent, and between user agent and dialer. */
export interface SipRecording {
  readonly transport: SipTransport;
  recorded(placeCall: PlaceCall): PlaceCall;
}

/** Nothing is recorded if nothing is to be kept. To be opened before the user agent, so that it is closed after it. */
export const openSipRecording = ({ hours }: SipTraceLimits, transport: SipTransport, parts: Parts): SipRecording => {
  if (hours === 0) return { transport, recorded: (placeCall) => placeCall };
  const { store, metrics, log, closers } = parts;
  const localEndOf = localEndsOf(transport);
  const recorder = createSipRecorder({ store, localEndOf, nowMs: Date.now, wakeAfter, metrics, log });
  closers.add('recorder of SIP messages', () => recorder.close());
  return {
    transport: tracedTransport(transport, recorder.note),
    recorded: (placeCall) => recordedCalls(placeCall, recorder),
  };
};

const localEndsOf = (transport: SipTransport): SipRecorderOptions['localEndOf'] => {
  const findLocalAddress = createFindLocalAddress(null, transport.address);
  return async (name, peer) => ({
    // A peer that there is no way to any more: what was said counts, not from where.
    address: await findLocalAddress(peer).catch(() => (isIPv6(peer.address) ? '::' : '0.0.0.0')),
    port: transport.portOf(name),
  });
};

const recordedCalls =
  (placeCall: PlaceCall, recorder: SipRecorder): PlaceCall =>
  (order, onProgress) => {
    recorder.begin(order.sipCallId, order.attemptId);
    const call = placeCall(order, onProgress);
    void call.result.then(() => recorder.end(order.sipCallId));
    return call;
  };
