/** Control and format characters: a terminal obeys the first, and the second reorder or hide what is read. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** What JSON leaves unescaped although a terminal may obey it: DEL and the C1 controls. */
const UNESCAPED_CONTROLS = /[\x7f-\x9f]/g;

const escaped = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** `text` with every character a terminal might obey written as an escape. For strings that came from a server. */
export const visible = (text: string): string => text.replace(UNSEEN, escaped);

/** The same JSON, safe on a terminal: escapes inside strings mean the same characters. */
export const terminalSafeJson = (json: string): string => json.replace(UNESCAPED_CONTROLS, escaped);

const LOCAL = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

/** An RFC 3339 time of the API as local time, `2026-11-21 02:36:09`; `-` for none. */
export const localTime = (at: string | null | undefined): string => {
  if (at == null) return '-';
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? visible(at) : LOCAL.format(time);
};

/** Milliseconds as seconds with one decimal: `3.4 s`. */
export const inSeconds = (durationMs: number): string => `${(durationMs / 1000).toFixed(1)} s`;

/** A list for one cell of a table; `-` when it is empty. */
export const inOneCell = (values: readonly string[]): string => (values.length === 0 ? '-' : values.join(', '));
