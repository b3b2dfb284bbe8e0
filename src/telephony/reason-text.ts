const MAX_REASON_LENGTH = 200;

/** A peer's reason phrase made fit to be kept and shown: no controls, one line, at most 200 characters. */
export const cleanReason = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON_LENGTH)
    .toWellFormed();
