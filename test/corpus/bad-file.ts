/** A file that somebody might upload, and what it has to be answered. */
export interface BadFile {
  readonly name: string;
  readonly octets: Uint8Array<ArrayBuffer>;
  readonly status: 201 | 400 | 413 | 415;
  /** What the sentence says; absent where any sentence will do. */
  readonly gist?: RegExp;
  /** Sent as a multipart form under this name instead of by PUT. */
  readonly fileName?: string;
}

export const NOT_AUDIO = /^The file is not audio\./;
export const DAMAGED = /^The file (is damaged|is cut short|holds no sound|says)/;
export const TOO_LONG = /longer than/;

export const bytes = (...parts: readonly (string | Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part)))),
  );

/** One after another, any number of them. */
export const joined = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(parts));

/** `count` parts, each made with its number. */
export const times = (count: number, make: (index: number) => Uint8Array): Uint8Array<ArrayBuffer> =>
  joined(Array.from({ length: count }, (_, index) => make(index)));

export const u16 = (value: number): Buffer => {
  const octets = Buffer.alloc(2);
  octets.writeUInt16LE(value);
  return octets;
};
export const u32 = (value: number): Buffer => {
  const octets = Buffer.alloc(4);
  octets.writeUInt32LE(value);
  return octets;
};
export const be32 = (value: number): Buffer => u32(value).reverse();

/** A box of MP4 (ISO/IEC 14496-12 4.2). */
export const box = (name: string, ...content: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const inside = bytes(...content);
  return bytes(be32(inside.length + 8), name, inside);
};

/** The same octets with some of them replaced. */
export const patched = (
  octets: Uint8Array,
  offset: number,
  replacement: Uint8Array | readonly number[],
): Uint8Array<ArrayBuffer> => {
  const copy = new Uint8Array(octets);
  copy.set(replacement, offset);
  return copy;
};
