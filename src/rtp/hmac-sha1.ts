import { MAX_SRTP_BYTES } from './srtp-transform.ts';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 20;
const ROUNDS = 80;
const INITIAL = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
const STATE_WORDS = INITIAL.length;

/** What is being hashed, padded to whole blocks: one for all calls of a thread, since nothing is awaited meanwhile. */
const message = new Uint8Array(MAX_SRTP_BYTES + 2 * BLOCK_BYTES);
const messageView = new DataView(message.buffer);
const digest = message.subarray(0, DIGEST_BYTES);
const state = new Int32Array(STATE_WORDS);
const schedule = new Int32Array(ROUNDS);

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

const setSchedule = (start: number): void => {
  const words = schedule;
  for (let i = 0; i < 16; i++) words[i] = messageView.getInt32(start + 4 * i);
  for (let i = 16; i < ROUNDS; i++) {
    words[i] = rotate((words[i - 3] ?? 0) ^ (words[i - 8] ?? 0) ^ (words[i - 14] ?? 0) ^ (words[i - 16] ?? 0), 1);
  }
};

/**
 * Takes the block at `start` of the message into `state` (FIPS 180-4 6.1.2). The four kinds of rounds, and each look
 * at an array, are written out: what is called here so often is not inlined, which takes half as long again.
 */
const compress = (start: number): void => {
  setSchedule(start);
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  for (let i = 0; i < 20; i++) {
    const next = (rotate(a, 5) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + (schedule[i] ?? 0)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  for (let i = 20; i < 40; i++) {
    const next = (rotate(a, 5) + (b ^ c ^ d) + e + 0x6ed9eba1 + (schedule[i] ?? 0)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  for (let i = 40; i < 60; i++) {
    const next = (rotate(a, 5) + ((b & c) | (d & (b | c))) + e + 0x8f1bbcdc + (schedule[i] ?? 0)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  for (let i = 60; i < 80; i++) {
    const next = (rotate(a, 5) + (b ^ c ^ d) + e + 0xca62c1d6 + (schedule[i] ?? 0)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  state[0] = (state[0] ?? 0) + a;
  state[1] = (state[1] ?? 0) + b;
  state[2] = (state[2] ?? 0) + c;
  state[3] = (state[3] ?? 0) + d;
  state[4] = (state[4] ?? 0) + e;
};

/** The state after `length` octets of the message, which follow a block that `first` is the state after. */
const hash = (first: Int32Array, length: number): void => {
  const end = Math.ceil((length + 9) / BLOCK_BYTES) * BLOCK_BYTES;
  for (let i = length + 1; i < end - 4; i++) message[i] = 0;
  message[length] = 0x80;
  messageView.setUint32(end - 4, (BLOCK_BYTES + length) * 8);
  for (let i = 0; i < STATE_WORDS; i++) state[i] = first[i] ?? 0;
  for (let start = 0; start < end; start += BLOCK_BYTES) compress(start);
  for (let i = 0; i < STATE_WORDS; i++) messageView.setInt32(4 * i, state[i] ?? 0);
};

/** The state after a block of the key and what pads it. */
const stateAfter = (key: Uint8Array, pad: number): Int32Array => {
  state.set(INITIAL);
  for (let i = 0; i < BLOCK_BYTES; i++) message[i] = (key[i] ?? 0) ^ pad;
  compress(0);
  return state.slice();
};

/**
 * HMAC-SHA1 (RFC 2104) for many short messages under one key. The hash is our own: `node:crypto` makes an object for each
 * message and hashes the key's two blocks again, at three times the cost. Nothing branches or is looked up by what is
 * hashed, so that time tells nothing of it.
 */
export class HmacSha1 {
  readonly #inner: Int32Array;
  readonly #outer: Int32Array;

  /** A key of at most 64 octets. */
  constructor(key: Uint8Array) {
    this.#inner = stateAfter(key, 0x36);
    this.#outer = stateAfter(key, 0x5c);
  }

  /** The digest of the first `length` octets, at most `MAX_SRTP_BYTES`, and `word` behind them; there until the next. */
  digest(octets: Uint8Array, length: number, word: Uint8Array): Uint8Array {
    for (let i = 0; i < length; i++) message[i] = octets[i] ?? 0;
    message.set(word, length);
    hash(this.#inner, length + word.length);
    hash(this.#outer, DIGEST_BYTES);
    return digest;
  }
}
