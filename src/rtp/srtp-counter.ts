import { type Cipheriv, createCipheriv, timingSafeEqual } from 'node:crypto';
import { HmacSha1 } from './hmac-sha1.ts';
import type { SessionKeys } from './srtp-keys.ts';
import { MAX_SRTP_BYTES, type PacketPlan, type SrtpTransform } from './srtp-transform.ts';

const BLOCK_BYTES = 16;

/** Counter blocks of the packet at hand; one for all calls of a thread, since nothing is awaited meanwhile. */
const blocks = new Uint8Array(MAX_SRTP_BYTES);
const blocksView = new DataView(blocks.buffer);

/**
 * AES in counter mode (RFC 3711 4.1.1). The counter blocks are put through one AES-ECB object that lives as long as the
 * keys: a counter-mode object is bound to one IV, and making one for each packet costs more than encrypting it.
 */
export class CounterCipher {
  readonly #aes: Cipheriv;
  readonly #salt: readonly [number, number, number, number];

  constructor(key: Uint8Array, salt: Uint8Array) {
    this.#aes = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    const padded = new Uint8Array(BLOCK_BYTES);
    padded.set(salt);
    const view = new DataView(padded.buffer);
    this.#salt = [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)];
  }

  /** Encrypts or decrypts `octets` from `start` to `end` in place. */
  apply(octets: Uint8Array, { ssrc, index, bodyStart, bodyEnd }: PacketPlan): void {
    const length = this.#writeBlocks(bodyEnd - bodyStart, ssrc, index);
    const keystream = this.#aes.update(blocks.subarray(0, length));
    for (let i = bodyStart; i < bodyEnd; i++) octets[i] = (octets[i] as number) ^ (keystream[i - bodyStart] as number);
  }

  #writeBlocks(bodyBytes: number, ssrc: number, index: number): number {
    const [salt0, salt1, salt2, salt3] = this.#salt;
    const word1 = salt1 ^ ssrc;
    const word2 = salt2 ^ Math.floor(index / 0x10000);
    const word3 = salt3 ^ ((index % 0x10000) << 16);
    const count = Math.ceil(bodyBytes / BLOCK_BYTES);
    for (let i = 0; i < count; i++) {
      blocksView.setUint32(i * BLOCK_BYTES, salt0);
      blocksView.setUint32(i * BLOCK_BYTES + 4, word1);
      blocksView.setUint32(i * BLOCK_BYTES + 8, word2);
      blocksView.setUint32(i * BLOCK_BYTES + 12, word3 ^ i);
    }
    return count * BLOCK_BYTES;
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
