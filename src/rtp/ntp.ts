/** NTP time (RFC 3550 4): seconds since 1900 and the fraction of a second in 2^-32. */
export interface NtpTime {
  readonly seconds: number;
  readonly fraction: number;
}

const SECONDS_1900_TO_1970 = 2_208_988_800;

/** From milliseconds since 1970. */
export const ntpOf = (unixMs: number): NtpTime => {
  const seconds = Math.floor(unixMs / 1_000);
  return {
    seconds: (seconds + SECONDS_1900_TO_1970) % 2 ** 32,
    fraction: Math.floor(((unixMs - seconds * 1_000) / 1_000) * 2 ** 32),
  };
};

/** The middle 32 bits, in 1/65,536 s: what LSR and the reckoning of the round trip use. */
export const middleOfNtp = ({ seconds, fraction }: NtpTime): number =>
  (seconds % 0x10000) * 0x10000 + Math.floor(fraction / 0x10000);
