import { type Cipheriv, createCipheriv, timingSafeEqual } from 'node:crypto';
import { HmacSha1 } from './hmac-sha1.ts';
import type { SessionKeys } from './srtp-keys.ts';
import { MAX_SRTP_BYTES, type PacketPlan, type SrtpTransform } from './srtp-transform.ts';

const BLOCK_BYTES = 16;
/** Packets whose keystream is made together: the call into the cipher costs ten times what it does there. */
const PACKETS_AHEAD = 4;

/** Counter blocks of the packets at hand; one for all calls of a thread, since nothing is awaited meanwhile. */
const blocks = new Uint8Array(PACKETS_AHEAD * MAX_SRTP_BYTES);
const blocksView = new DataView(blocks.buffer);

/**
 * AES in counter mode (RFC 3711 4.1.1). The counter blocks are put through one AES-ECB object that lives as long as the
 * keys: a counter-mode object is bound to one IV, and making one for each packet costs more than encrypting it.
 */
export class CounterCipher {
  readonly #aes: Cipheriv;
  readonly #salt: readonly [number, number, number, number];
  /** Of `PACKETS_AHEAD` packets of a source, from the first index on, `#stride` octets each. */
  #keystream = new Uint8Array();
  #stride = 0;
  #ssrc = 0;
  #firstIndex = 0;

  constructor(key: Uint8Array, salt: Uint8Array) {
    this.#aes = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    const padded = new Uint8Array(BLOCK_BYTES);
    padded.set(salt);
    const view = new DataView(padded.buffer);
    this.#salt = [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)];
  }

  /** Encrypts or decrypts the body of `octets` in place. */
  apply(octets: Uint8Array, { ssrc, index, bodyStart, bodyEnd }: PacketPlan): void {
    const start = this.#find(ssrc, index, bodyEnd - bodyStart);
    const keystream = this.#keystream;
    for (let i = bodyStart, at = start; i < bodyEnd; i++, at++) octets[i] = (octets[i] ?? 0) ^ (keystream[at] ?? 0);
  }

  /** Where in the keystream that of the packet begins. */
  #find(ssrc: number, index: number, bodyBytes: number): number {
    const ahead = index - this.#firstIndex;
    const isThere = ssrc === this.#ssrc && ahead >= 0 && ahead < PACKETS_AHEAD && bodyBytes <= this.#stride;
    if (isThere) return ahead * this.#stride;
    this.#make(ssrc, index, Math.ceil(bodyBytes / BLOCK_BYTES));
    return 0;
  }

  #make(ssrc: number, firstIndex: number, blockCount: number): void {
    const stride = blockCount * BLOCK_BYTES;
    for (let i = 0; i < PACKETS_AHEAD; i++) this.#writeBlocks(i * stride, blockCount, ssrc, firstIndex + i);
    if (stride !== this.#stride) this.#keystream = new Uint8Array(PACKETS_AHEAD * stride);
    this.#keystream.set(this.#aes.update(blocks.subarray(0, PACKETS_AHEAD * stride)));
    this.#stride = stride;
    this.#ssrc = ssrc;
    this.#firstIndex = firstIndex;
  }

  #writeBlocks(start: number, count: number, ssrc: number, index: number): void {
    const [salt0, salt1, salt2, salt3] = this.#salt;
    const word1 = salt1 ^ ssrc;
    const word2 = salt2 ^ Math.floor(index / 0x10000);
    const word3 = salt3 ^ ((index % 0x10000) << 16);
    for (let i = 0; i < count; i++) {
      const at = start + i * BLOCK_BYTES;
      blocksView.setUint32(at, salt0);
      blocksView.setUint32(at + 4, word1);
      blocksView.setUint32(at + 8, word2);
      blocksView.setUint32(at + 12, word3 ^ i);
    }
  }
}

/** AES_CM_128 with HMAC-SHA1 cut to `tagBytes` (RFC 3711 4.2). */
export class CounterTransform implements SrtpTransform {
  readonly #cipher: CounterCipher;
  readonly #hmac: HmacSha1;
  readonly #tagBytes: number;

  constructor(keys: SessionKeys, tagBytes: number) {
    this.#cipher = new CounterCipher(keys.key, keys.salt);
    this.#hmac = new HmacSha1(keys.authenticationKey);
    this.#tagBytes = tagBytes;
  }

  seal(packet: Uint8Array, plan: PacketPlan): void {
    if (plan.isEncrypted) this.#cipher.apply(packet, plan);
    packet.set(this.#tag(packet, plan), plan.tagStart);
  }

  open(packet: Uint8Array, plan: PacketPlan): boolean {
    const tag = packet.subarray(plan.tagStart, plan.tagStart + this.#tagBytes);
    if (tag.length !== this.#tagBytes || !timingSafeEqual(tag, this.#tag(packet, plan))) return false;
    if (plan.isEncrypted) this.#cipher.apply(packet, plan);
    return true;
  }

  #tag(packet: Uint8Array, { bodyEnd, word }: PacketPlan): Uint8Array {
    return this.#hmac.digest(packet, bodyEnd, word).subarray(0, this.#tagBytes);
  }
}
