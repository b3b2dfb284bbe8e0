import { isDeepStrictEqual } from 'node:util';
import type { RandomSource } from '../domain/ports.ts';
import type { MediaPort, PlayTarget } from '../media/link.ts';
import type { AudioCodec } from '../sdp/audio-codec.ts';
import type { CryptoLine } from '../sdp/crypto-line.ts';
import { type LocalDescription, NO_EXTRAS, revise } from '../sdp/description.ts';
import { isLoopback } from '../sdp/media-address.ts';
import {
  answerExtras,
  mirrored,
  type Reading,
  type RemoteMedia,
  readAnswer,
  readOffer,
  writeAnswer,
  writeOffer,
} from '../sdp/offer-answer.ts';
import { lineFor } from './call-crypto.ts';
import type { PreparedCall } from './call-preparation.ts';

/** Our side of offer and answer through the life of one dialog. Only the dialog that becomes the call plays. */
export interface CallMedia {
  /**
   * Reads the answer to the offer of our INVITE. The first one counts, be it in a reliable provisional answer or in the
   * 2xx (RFC 3262 5); after it this tells what holds now.
   */
  takeAnswer(answer: Uint8Array): Reading;
  /** Sends the voice where the peer last said; if that is nowhere, because it answered on hold, when it listens. */
  play(): void;
  /** Answers an offer of the peer, or makes one if it has none; null if the offer cannot be used. */
  answerOffer(offer: Uint8Array | null): string | null;
  /** What holds, as an offer: for a re-INVITE that changes nothing. */
  offerAgain(): string;
  /** Takes the answer to an offer that was made after the first. */
  takeLateAnswer(answer: Uint8Array): void;
}

const listens = ({ direction }: RemoteMedia): boolean => direction === 'sendrecv' || direction === 'recvonly';

/** `localAddress` is ours in this dialog. Loopback as a media address is for peers that signal from there. */
export const createCallMedia = (prepared: PreparedCall, localAddress: string, random: RandomSource): CallMedia => {
  const port: MediaPort = prepared.media;
  const allowLoopback = isLoopback(prepared.hops[0].address);
  /** Those that every clip has a rendition of. */
  const codecs: readonly AudioCodec[] = prepared.local.codecs.map(({ codec }) => codec);
  const offered = prepared.local.extras ?? NO_EXTRAS;
  const reading = { allowLoopback, srtp: prepared.srtp, rtcpMux: offered.isRtcpMux };
  const events = offered.telephoneEvents.map(({ payloadType }) => payloadType);
  /** What we said last, and what we would say now: one version on, however much has changed (RFC 3264 8). */
  let said: LocalDescription = { ...prepared.local, address: localAddress };
  let local: LocalDescription = said;
  let remote: RemoteMedia | null = null;
  /** What we encrypt with. */
  let ours: CryptoLine | null = null;
  let refusal: Reading | null = null;
  let mayPlay = false;
  /** Where the voice goes; null before it does. */
  let target: PlayTarget | null = null;

  /** From the start, or from where it was held. */
  const playTo = (wanted: PlayTarget, wasHeld: boolean): void => {
    if (target === null) port.play(wanted);
    else {
      if (!isDeepStrictEqual(target, wanted)) port.redirect(wanted);
      if (wasHeld) port.resume();
    }
    target = wanted;
  };

  /** Notes what the peer says now, and lets the voice follow it. A peer on hold may name no address that can be used. */
  const follow = (next: RemoteMedia, before: RemoteMedia): void => {
    remote = listens(next) ? next : { ...before, direction: next.direction };
    if (!mayPlay) return;
    if (listens(next)) playTo(targetOf(next, ours, events), !listens(before));
    else if (target) port.hold();
  };

  /** The codec in use if the offer has it, under whatever payload type; else any that we have. */
  const readTheirs = (offer: Uint8Array, current: RemoteMedia): Reading => {
    const same = readOffer(offer, { ...reading, codecs: [current.codec] });
    return same.ok ? same : readOffer(offer, { ...reading, codecs });
  };

  const change = (changes: Partial<Pick<LocalDescription, 'codecs' | 'direction' | 'extras'>>): void => {
    const { codecs: known, direction, extras = NO_EXTRAS } = local;
    local = revise(said, { codecs: known, direction, extras, ...changes });
  };

  const offerNow = (): string => {
    said = local;
    return writeOffer(local);
  };

  /** An answer to what `local` says. A later offer of ours names what is in use alone. */
  const agree = (media: RemoteMedia): void => {
    const { codec, payloadType, profile, isRtcpMux } = media;
    const extras = local.extras ?? NO_EXTRAS;
    ours = extras.crypto.find(({ tag }) => tag === media.crypto?.tag) ?? null;
    const crypto = ours ? [ours] : [];
    change({ codecs: [{ codec, payloadType }], extras: { ...extras, profile, isRtcpMux, crypto } });
  };

  const readAnswerTo = (answer: Uint8Array, wanted: readonly AudioCodec[]): Reading =>
    readAnswer(answer, { ...reading, codecs: wanted, offeredCrypto: local.extras?.crypto ?? [] });

  return {
    takeAnswer: (answer) => {
      if (remote) return { ok: true, media: remote };
      if (refusal) return refusal;
      const read = readAnswerTo(answer, codecs);
      if (!read.ok) refusal = read;
      else {
        remote = read.media;
        agree(read.media);
      }
      return read;
    },
    play: () => {
      mayPlay = true;
      if (remote && listens(remote)) playTo(targetOf(remote, ours, events), false);
    },
    answerOffer: (offer) => {
      if (offer === null) {
        // A new offer is made as for a new call (RFC 3261 14.2): a hold that the peer asked for before is over.
        change({ direction: 'sendrecv' });
        return offerNow();
      }
      const before = remote;
      if (!before) return null;
      const read = readTheirs(offer, before);
      if (!read.ok) return null;
      const { codec, payloadType, direction, crypto } = read.media;
      ours = lineFor(crypto, ours, random);
      const extras = answerExtras(read.media, ours);
      change({ codecs: [{ codec, payloadType }], direction: mirrored(direction), extras });
      follow(read.media, before);
      said = local;
      return writeAnswer(offer, local);
    },
    offerAgain: offerNow,
    takeLateAnswer: (answer) => {
      const before = remote;
      if (!before) return;
      const read = readAnswerTo(answer, [before.codec]);
      if (!read.ok) return;
      agree(read.media);
      follow(read.media, before);
    },
  };
};

const targetOf = (media: RemoteMedia, ours: CryptoLine | null, events: readonly number[]): PlayTarget => ({
  address: media.address,
  port: media.port,
  payloadType: media.payloadType,
  codec: media.codec,
  packetTimeMs: media.packetTimeMs,
  sealing: media.crypto && ours ? ours.keying : null,
  opening: media.crypto?.keying ?? null,
  rtcp: media.rtcp && { ...media.rtcp, isMux: media.isRtcpMux },
  eventPayloadTypes: media.telephoneEvent ? eventTypesOf(media, events) : [],
});

/** Events ought to come under our numbers (RFC 3264 5.1); some peers use their own. */
const eventTypesOf = ({ telephoneEvent, payloadType }: RemoteMedia, ours: readonly number[]): readonly number[] =>
  [...new Set([...ours, ...(telephoneEvent ? [telephoneEvent.payloadType] : [])])].filter(
    (type) => type !== payloadType,
  );
