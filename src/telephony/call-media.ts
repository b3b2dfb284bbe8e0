import type { MediaPort } from '../media/link.ts';
import type { CarriedCodec } from '../sdp/audio-codec.ts';
import { type LocalDescription, revise } from '../sdp/description.ts';
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

/** Our side of offer and answer through the life of one dialog. */
export interface CallMedia {
  /** Reads the SDP of the 2xx to our INVITE. */
  readAnswer(answer: Uint8Array): Reading;
  /** Sends the voice where the answer says. */
  play(remote: RemoteMedia): void;
  /** Answers the offer of a re-INVITE, or makes one if it has none; null if the offer cannot be used. */
  answerOffer(offer: Uint8Array | null): string | null;
  /** Takes the answer to an offer of `answerOffer`. */
  takeLateAnswer(answer: Uint8Array): void;
}

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';

/** Loopback as a media address is for peers that signal from there. */
export const createCallMedia = (prepared: PreparedCall): CallMedia => {
  const port: MediaPort = prepared.media;
  const allowLoopback = isLoopback(prepared.peer.address);
  let local: LocalDescription = prepared.local;
  let remote: RemoteMedia | null = null;

  const codecs = (): readonly CarriedCodec[] => local.codecs.map(({ codec }) => codec);

  /** Follows the peer to a new address. A peer on hold names none, or none that listens: the voice stays its course. */
  const follow = (next: RemoteMedia): void => {
    const listens = next.direction === 'sendrecv' || next.direction === 'recvonly';
    const hasMoved = next.address !== remote?.address || next.port !== remote.port;
    if (!listens || !hasMoved) return;
    remote = next;
    port.redirect({ address: next.address, port: next.port });
  };

  return {
    readAnswer: (answer) => readAnswer(answer, { codecs: codecs(), allowLoopback }),
    play: (chosen) => {
      remote = chosen;
      // A later offer of ours may only name what the voice under way is sent as.
      local = revise(local, { codecs: [{ codec: chosen.codec, payloadType: chosen.payloadType }] });
      port.play({
        address: chosen.address,
        port: chosen.port,
        payloadType: chosen.payloadType,
        codec: chosen.codec,
      });
    },
    answerOffer: (offer) => {
      if (offer === null) {
        // A new offer is made as for a new call (RFC 3261 14.2): a hold that the peer asked for before is over.
        local = revise(local, { direction: 'sendrecv' });
        return writeOffer(local);
      }
      if (!remote) return null;
      const reading = readOffer(offer, { codecs: [remote.codec], allowLoopback });
      // The voice under way has one codec and one payload type: an offer without them cannot be used.
      if (!reading.ok || reading.media.payloadType !== remote.payloadType) return null;
      const { codec, payloadType, direction } = reading.media;
      local = revise(local, { codecs: [{ codec, payloadType }], direction: mirrored(direction) });
      follow(reading.media);
      return writeAnswer(offer, local);
    },
    takeLateAnswer: (answer) => {
      const reading = remote ? readAnswer(answer, { codecs: [remote.codec], allowLoopback }) : null;
      if (reading?.ok) follow(reading.media);
    },
  };
};
