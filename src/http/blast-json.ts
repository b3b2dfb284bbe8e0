import { type Static, Type } from 'typebox';
import type { BlastView } from '../domain/blast.ts';
import type { AttemptView, CallView } from '../domain/call.ts';
import { CODECS } from '../domain/codec.ts';
import { OUTCOMES } from '../domain/outcome.ts';
import { isoTime, isoTimeOrNull } from './iso-time.ts';
import { nullable, oneOf } from './schema.ts';

const Outcome = nullable(oneOf(OUTCOMES));

const ClipPlace = { mediaId: nullable(Type.String()), ms: Type.Integer() };

const AttemptJson = Type.Object({
  number: Type.Integer(),
  trunkId: nullable(Type.String()),
  sipCallId: Type.String(),
  dialledAt: Type.String(),
  ringingAt: nullable(Type.String()),
  answeredAt: nullable(Type.String()),
  endedAt: nullable(Type.String()),
  sipStatus: nullable(Type.Integer()),
  sipReason: nullable(Type.String()),
  codec: nullable(oneOf(CODECS)),
  clips: Type.Array(
    Type.Object({ mediaId: nullable(Type.String()), framesSent: Type.Integer(), framesTotal: Type.Integer() }),
  ),
  digits: Type.Array(Type.Object({ digit: Type.String(), ...ClipPlace })),
  hungUpAt: nullable(Type.Object(ClipPlace)),
  rtp: Type.Object({
    packetsSent: Type.Integer(),
    packetsRefused: nullable(Type.Integer()),
    peerRefusals: nullable(Type.Integer()),
    packetsLost: nullable(Type.Integer()),
    jitterMs: nullable(Type.Number()),
    roundTripMs: nullable(Type.Number()),
    mosEstimate: nullable(Type.Number()),
    latenessMs: nullable(Type.Object({ p50: Type.Number(), p99: Type.Number() })),
  }),
});

export const CallJson = Type.Object({
  id: Type.String(),
  destination: Type.String(),
  state: oneOf(['waiting', 'dialing', 'ringing', 'playing', 'finished']),
  outcome: Outcome,
  attempts: Type.Array(AttemptJson),
});

export const BlastJson = Type.Object({
  id: Type.String(),
  applicationId: Type.String(),
  networkId: Type.String(),
  mediaIds: Type.Array(Type.String()),
  greetingId: nullable(Type.String()),
  acceptedAt: Type.String(),
  state: oneOf(['active', 'finished', 'cancelled']),
  calls: Type.Array(CallJson),
});

export const blastJson = (blast: BlastView): Static<typeof BlastJson> => ({
  id: blast.id,
  applicationId: blast.applicationId,
  networkId: blast.networkId,
  mediaIds: [...blast.mediaIds],
  greetingId: blast.greetingId,
  acceptedAt: isoTime(blast.acceptedAt),
  state: blast.state,
  calls: blast.calls.map(callJson),
});

export const callJson = (call: CallView): Static<typeof CallJson> => ({
  id: call.id,
  destination: call.destination,
  state: call.state,
  outcome: call.outcome,
  attempts: call.attempts.map(attemptJson),
});

const attemptJson = (attempt: AttemptView): Static<typeof AttemptJson> => ({
  number: attempt.number,
  trunkId: attempt.trunkId,
  sipCallId: attempt.sipCallId,
  dialledAt: isoTime(attempt.dialledAt),
  ringingAt: isoTimeOrNull(attempt.ringingAt),
  answeredAt: isoTimeOrNull(attempt.answeredAt),
  endedAt: isoTimeOrNull(attempt.endedAt),
  sipStatus: attempt.sipStatus,
  sipReason: attempt.sipReason,
  codec: attempt.codec,
  clips: attempt.clips.map(({ mediaId, framesSent, framesTotal }) => ({ mediaId, framesSent, framesTotal })),
  digits: attempt.digits.map((digit) => ({ ...digit })),
  hungUpAt: attempt.hungUpAt,
  rtp: { ...attempt.rtp },
});
