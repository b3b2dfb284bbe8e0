import type { MediaPort } from '../media/link.ts';
import type { CarriedCodec } from '../sdp/audio-codec.ts';
import { type LocalDescription, revise } from '../sdp/description.ts';
import { isLoopback } from '../sdp/media-address.ts';
import {
  mirrored,
  type Reading,
  type RemoteMedia,
  readAnswer,
  readOffer,
  writeAnswer,
  writeOffer,
} from '../sdp/offer-answer.ts';
import type { PreparedCall } from './call-preparation.ts';

/** Our side of offer and answer through the life of one dialog. Only the dialog that becomes the call plays. */
export interface CallMedia {
  /**
   * Reads the answer to the offer of our INVITE. The first one counts, be it in a reliable provisional answer or in the
   * 2xx (RFC 3262 5); after it this tells what holds now.
   */
  takeAnswer(answer: Uint8Array): Reading;
  /** Sends the voice where the peer last said. */
  play(): void;
  /** Answers an offer of the peer, or makes one if it has none; null if the offer cannot be used. */
  answerOffer(offer: Uint8Array | null): string | null;
  /** What holds, as an offer: for a re-INVITE that changes nothing. */
  offerAgain(): string;
  /** Takes the answer to an offer that was made after the first. */
  takeLateAnswer(answer: Uint8Array): void;
}

const listens = ({ direction }: RemoteMedia): boolean => direction === 'sendrecv' || direction === 'recvonly';

const isSameTarget = (a: RemoteMedia, b: RemoteMedia): boolean =>
  a.address === b.address && a.port === b.port && a.codec === b.codec && a.payloadType === b.payloadType;

/** Loopback as a media address is for peers that signal from there. */
export const createCallMedia = (prepared: PreparedCall): CallMedia => {
  const port: MediaPort = prepared.media;
  const allowLoopback = isLoopback(prepared.hops[0].address);
  /** Those that every clip has a rendition of. */
  const codecs: readonly CarriedCodec[] = prepared.local.codecs.map(({ codec }) => codec);
  let local: LocalDescription = prepared.local;
  let remote: RemoteMedia | null = null;
  let refusal: Reading | null = null;
  let isPlaying = false;

  /** Notes what the peer says now, and lets the voice follow it. A peer on hold may name no address that can be used. */
  const follow = (next: RemoteMedia, before: RemoteMedia): void => {
    remote = listens(next) ? next : { ...before, direction: next.direction };
    if (!isPlaying) return;
    if (!listens(next)) port.hold();
    else {
      if (!isSameTarget(next, before)) port.redirect(targetOf(next));
      if (!listens(before)) port.resume();
    }
  };

  /** The codec in use if the offer has it, under whatever payload type; else any that we have. */
  const readTheirs = (offer: Uint8Array, current: RemoteMedia): Reading => {
    const same = readOffer(offer, { codecs: [current.codec], allowLoopback });
    return same.ok ? same : readOffer(offer, { codecs, allowLoopback });
  };

  return {
    takeAnswer: (answer) => {
      if (remote) return { ok: true, media: remote };
      if (refusal) return refusal;
      const reading = readAnswer(answer, { codecs, allowLoopback });
      if (!reading.ok) refusal = reading;
      else {
        remote = reading.media;
        // A later offer of ours names what is in use alone.
        const { codec, payloadType } = reading.media;
        local = revise(local, { codecs: [{ codec, payloadType }] });
      }
      return reading;
    },
    play: () => {
      if (!remote) return;
      isPlaying = true;
      port.play(targetOf(remote));
    },
    answerOffer: (offer) => {
      if (offer === null) {
        // A new offer is made as for a new call (RFC 3261 14.2): a hold that the peer asked for before is over.
        local = revise(local, { direction: 'sendrecv' });
        return writeOffer(local);
      }
      const before = remote;
      if (!before) return null;
      const reading = readTheirs(offer, before);
      if (!reading.ok) return null;
      const { codec, payloadType, direction } = reading.media;
      local = revise(local, { codecs: [{ codec, payloadType }], direction: mirrored(direction) });
      follow(reading.media, before);
      return writeAnswer(offer, local);
    },
    offerAgain: () => writeOffer(local),
    takeLateAnswer: (answer) => {
      const before = remote;
      if (!before) return;
      const reading = readAnswer(answer, { codecs: [before.codec], allowLoopback });
      if (reading.ok) follow(reading.media, before);
    },
  };
};

const targetOf = ({ address, port, payloadType, codec }: RemoteMedia) => ({ address, port, payloadType, codec });
