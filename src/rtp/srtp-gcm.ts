import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { SessionKeys } from './srtp-keys.ts';
import type { PacketPlan, SrtpTransform } from './srtp-transform.ts';

const TAG_BYTES = 16;
const IV_BYTES = 12;

export interface GcmOptions {
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm';
  /** RTCP authenticates its E flag and index too; RTP's rollover counter is in the IV alone. */
  readonly isWordAuthenticated: boolean;
}

/** AES in Galois/counter mode (RFC 7714 8 and 9). */
export class GcmTransform implements SrtpTransform {
  readonly #key: KeyObject;
  readonly #salt: Uint8Array;
  readonly #options: GcmOptions;
  readonly #iv = new Uint8Array(IV_BYTES);
  readonly #ivView = new DataView(this.#iv.buffer);

  constructor(keys: SessionKeys, options: GcmOptions) {
    this.#key = createSecretKey(keys.key);
    this.#salt = keys.salt;
    this.#options = options;
  }

  seal(packet: Uint8Array, plan: PacketPlan): void {
    const cipher = createCipheriv(this.#options.cipher, this.#key, this.#setIv(plan));
    cipher.setAAD(this.#associatedData(packet, plan));
    packet.set(cipher.update(packet.subarray(cipherStart(plan), plan.bodyEnd)), cipherStart(plan));
    cipher.final();
    packet.set(cipher.getAuthTag(), plan.tagStart);
  }

  open(packet: Uint8Array, plan: PacketPlan): boolean {
    const tag = packet.subarray(plan.tagStart, plan.tagStart + TAG_BYTES);
    if (tag.length !== TAG_BYTES) return false;
    const decipher = createDecipheriv(this.#options.cipher, this.#key, this.#setIv(plan), { authTagLength: TAG_BYTES });
    decipher.setAAD(this.#associatedData(packet, plan)).setAuthTag(tag);
    const plain = decipher.update(packet.subarray(cipherStart(plan), plan.bodyEnd));
    try {
      decipher.final();
    } catch {
      // How node:crypto says that the tag is wrong.
      return false;
    }
    packet.set(plain, cipherStart(plan));
    return true;
  }

  #setIv({ ssrc, index }: PacketPlan): Uint8Array {
    this.#ivView.setUint16(0, 0);
    this.#ivView.setUint32(2, ssrc);
    this.#ivView.setUint32(6, Math.floor(index / 0x10000));
    this.#ivView.setUint16(10, index % 0x10000);
    for (let i = 0; i < IV_BYTES; i++) this.#iv[i] = (this.#iv[i] as number) ^ (this.#salt[i] as number);
    return this.#iv;
  }

  #associatedData(packet: Uint8Array, plan: PacketPlan): Uint8Array {
    const head = packet.subarray(0, cipherStart(plan));
    return this.#options.isWordAuthenticated ? Buffer.concat([head, plan.word]) : head;
  }
}

const cipherStart = (plan: PacketPlan): number => (plan.isEncrypted ? plan.bodyStart : plan.bodyEnd);
