/** Codecs a clip is prepared for, by their RFC 3551 encoding names, in the order they are offered by default. */
export const CODECS = ['PCMU', 'PCMA'] as const;
export type Codec = (typeof CODECS)[number];

export const FRAME_MS = 20;
/** Octets of one 20 ms frame of G.711 (8,000 samples a second, one octet each). */
export const G711_FRAME_BYTES = 160;
