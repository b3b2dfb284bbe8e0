import { MAX_MESSAGE_BYTES } from './parse.ts';

/** What a stream of octets holds (RFC 3261 18.3, RFC 5626 3.5.1). */
export type Frame =
  | { readonly kind: 'message'; readonly octets: Uint8Array }
  /** A double CRLF between messages, to be answered by a single one. */
  | { readonly kind: 'ping' }
  /** Headers that do not say how long the body is. Nothing after them can be understood. */
  | { readonly kind: 'unframed'; readonly octets: Uint8Array }
  /** Nothing more can be understood. */
  | { readonly kind: 'broken'; readonly problem: string };

export interface StreamFramer {
  /** Takes the next octets, cut anywhere, which must not change afterwards. Never throws; nothing follows the end. */
  push(chunk: Uint8Array): readonly Frame[];
  /** Whether a message has begun and is not complete. */
  readonly isInMessage: boolean;
}

const CR = 13;
const LF = 10;
const NOTHING = new Uint8Array(0);
const decoder = new TextDecoder('latin1');

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
};

/** Length of the start line and headers with the empty line that ends them, or -1. */
const headLength = (octets: Uint8Array, from: number): number => {
  for (let i = octets.indexOf(CR, from); i >= 0; i = octets.indexOf(CR, i + 1)) {
    if (octets[i + 1] === LF && octets[i + 2] === CR && octets[i + 3] === LF) return i + 4;
  }
  return -1;
};

/** Value of Content-Length; null if there is none or no number, or if there are two that differ. */
const contentLengthOf = (head: Uint8Array): number | null => {
  const text = decoder.decode(head).replace(/\r\n[ \t]+/g, ' ');
  const values = [...text.matchAll(/\r\n(?:content-length|l)[ \t]*:[ \t]*([0-9]{1,10})[ \t]*(?=\r\n)/gi)];
  const lengths = new Set(values.map((match) => Number(match[1])));
  const [length] = lengths;
  return lengths.size === 1 && length !== undefined ? length : null;
};

const tooLong = (): Frame => ({ kind: 'broken', problem: `a message is longer than ${MAX_MESSAGE_BYTES} octets` });

class Framer implements StreamFramer {
  #pending: Uint8Array = NOTHING;
  /** Octets of `#pending` in which no end of the headers begins. */
  #scanned = 0;
  /** Of the message that has begun; null while its headers are not complete. */
  #messageLength: number | null = null;
  #emptyLines = 0;
  #isOver = false;

  get isInMessage(): boolean {
    return !this.#isOver && this.#pending.length > 0;
  }

  push(chunk: Uint8Array): readonly Frame[] {
    const frames: Frame[] = [];
    if (this.#isOver) return frames;
    this.#pending = joined(this.#pending, chunk);
    for (let frame = this.#next(); frame !== null; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | null {
    if (this.#isOver) return null;
    if (this.#messageLength === null) {
      if (this.#skipEmptyLines()) return { kind: 'ping' };
      const problem = this.#readHead();
      if (problem) return this.#end(problem);
    }
    return this.#takeMessage();
  }

  /** True at every second empty line in a row. */
  #skipEmptyLines(): boolean {
    while (this.#pending[0] === CR && this.#pending[1] === LF) {
      this.#drop(2);
      this.#emptyLines += 1;
      if (this.#emptyLines % 2 === 0) return true;
    }
    return false;
  }

  #readHead(): Frame | null {
    const length = headLength(this.#pending, this.#scanned);
    if (length < 0) {
      this.#scanned = Math.max(0, this.#pending.length - 3);
      return this.#pending.length > MAX_MESSAGE_BYTES ? tooLong() : null;
    }
    const head = this.#pending.subarray(0, length);
    if (length > MAX_MESSAGE_BYTES) return tooLong();
    const contentLength = contentLengthOf(head);
    if (contentLength === null) return { kind: 'unframed', octets: head };
    if (length + contentLength > MAX_MESSAGE_BYTES) return tooLong();
    this.#messageLength = length + contentLength;
    return null;
  }

  #takeMessage(): Frame | null {
    const length = this.#messageLength;
    if (length === null || this.#pending.length < length) return null;
    const octets = this.#pending.subarray(0, length);
    this.#drop(length);
    this.#messageLength = null;
    this.#emptyLines = 0;
    return { kind: 'message', octets };
  }

  #drop(count: number): void {
    this.#pending = this.#pending.subarray(count);
    this.#scanned = 0;
  }

  #end(frame: Frame): Frame {
    this.#isOver = true;
    this.#pending = NOTHING;
    return frame;
  }
}

/** Cuts the stream of one connection into messages. It keeps at most one message that is not complete. */
export const createStreamFramer = (): StreamFramer => new Framer();
