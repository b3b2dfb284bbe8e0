import type { Attempt, ClipPlace } from './api-shapes.ts';
import type { Column } from './table.ts';
import { inSeconds } from './text.ts';

const placeText = ({ mediaId, ms }: ClipPlace): string => `${inSeconds(ms)} of ${mediaId ?? 'the greeting'}`;

const keys = ({ digits = [] }: Attempt): string =>
  digits.map((pressed) => `${pressed.digit} at ${placeText(pressed)}`).join(', ') || '-';

const inMs = (ms: number | null | undefined): string => (ms == null ? '-' : `${Math.round(ms * 10) / 10} ms`);

const lost = ({ rtp }: Attempt): string =>
  rtp?.packetsLost == null ? '-' : `${rtp.packetsLost} of ${rtp.packetsSent}`;

const refused = ({ rtp }: Attempt): string => {
  const counts = [
    [rtp?.packetsRefused, 'here'],
    [rtp?.peerRefusals, 'there'],
  ] as const;
  return counts.flatMap(([count, where]) => (count ? `${count} ${where}` : [])).join(', ') || '-';
};

const lateness = ({ rtp }: Attempt): string =>
  rtp?.latenessMs ? `${rtp.latenessMs.p50} ms, 99 %: ${rtp.latenessMs.p99} ms` : '-';

/** How a callee heard an attempt, and what he did. */
export const HEARD_COLUMNS: readonly Column<Attempt>[] = [
  ['attempt', ({ number }) => String(number)],
  ['hung up at', ({ hungUpAt }) => (hungUpAt ? placeText(hungUpAt) : '-')],
  ['keys', keys],
  ['lost', lost],
  ['refused', refused],
  ['jitter', ({ rtp }) => inMs(rtp?.jitterMs)],
  ['round trip', ({ rtp }) => inMs(rtp?.roundTripMs)],
  ['mos (estimate)', ({ rtp }) => String(rtp?.mosEstimate ?? '-')],
  ['left late by', lateness],
];

/** Of an attempt that nobody answered there is nothing to tell. */
export const wasHeard = ({ answeredAt }: Attempt): boolean => answeredAt !== null;
