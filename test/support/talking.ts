import type { Header } from '../../src/sip/message.ts';
import type { ResponseParts } from '../../src/sip/response.ts';
import type { PeerScript } from './peer-script.ts';
import { type PeerCall, sdpOf } from './sip-peer.ts';
import { createTelephonyBench, type Placed, type TelephonyBench } from './telephony-bench.ts';

export interface Talk {
  readonly bench: TelephonyBench;
  readonly placed: Placed;
  readonly call: PeerCall;
  /** First lines of what we sent, with the CSeq: `ACK 1`, `200 2 BYE`. */
  said(): string[];
}

export const sdpParts = (text = sdpOf('10.0.0.2')): ResponseParts => ({
  contentType: 'application/sdp',
  body: new TextEncoder().encode(text),
});

export const SOON: Header = { name: 'Session-Expires', value: '90;refresher=uac' };

const inShort = (text: string): string => {
  const cseq = /\r\nCSeq: (\d+) (\w+)/.exec(text);
  return text.startsWith('SIP/2.0 ') ? `${text.slice(8, 11)} ${cseq?.[1]} ${cseq?.[2]}` : `${cseq?.[2]} ${cseq?.[1]}`;
};

/** A call that was answered 10 ms after its INVITE, and talks for five minutes. */
export const talk = async (script: PeerScript = {}, frames = 15_000): Promise<Talk> => {
  const bench = createTelephonyBench({ script: { answerAfterMs: 0, ...script } });
  const placed = bench.place({ frames: [frames] });
  await bench.clock.advance(100);
  const call = bench.peer.calls[0];
  if (!call) throw new Error('no call');
  const said = () => bench.traffic.filter(({ from }) => from === 'ua').map(({ text }) => inShort(text));
  return { bench, placed, call, said };
};
