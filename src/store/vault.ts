import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Log } from '../domain/ports.ts';
import { loadSecret } from './secret-file.ts';

/** What is hashed; the same text under another purpose has another hash. */
export type HashPurpose = 'app key' | 'grant id' | 'upload token' | 'vault check';

/** Keeps secrets out of the database: what is only compared is hashed with a key, what is needed again is sealed. */
export interface Vault {
  /** HMAC-SHA-256, in base64url. */
  hash(purpose: HashPurpose, text: string): string;
  /** AES-256-GCM under a random nonce, in base64url; opens only with the same `context`. */
  seal(text: string, context: string): string;
  /** Throws if the text was not sealed by this vault for this context. */
  unseal(sealed: string, context: string): string;
}

export interface VaultOptions {
  /**
   * Default `<dataDirectory>/ringcast.db`; while it exists, a missing secret is an error and not made anew. Null for a
   * database elsewhere.
   */
  readonly databasePath?: string | null;
  readonly log?: Log;
}

/**
 * Opens the vault of a data directory, making directory and secret at the first start.
 * Throws an Error that names the fix if that cannot be done, or if the secret is damaged or lost.
 */
export const openVault = async (dataDirectory: string, options: VaultOptions = {}): Promise<Vault> => {
  const { databasePath = join(dataDirectory, 'ringcast.db') } = options;
  return vaultOf(await loadSecret(dataDirectory, databasePath, options.log));
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const vaultOf = (secret: Buffer): Vault => {
  const hashKey = derive(secret, 'ringcast keyed hash 1');
  const sealKey = derive(secret, 'ringcast seal 1');
  return {
    hash: (purpose, text) => createHmac('sha256', hashKey).update(`${purpose}\0${text}`).digest('base64url'),
    seal: (text, context) => seal(sealKey, text, context),
    unseal: (sealed, context) => unseal(sealKey, Buffer.from(sealed, 'base64url'), context),
  };
};

/** HKDF (RFC 5869): a key for each use, so that none can be turned against another. */
const derive = (secret: Buffer, use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, 32));

const seal = (key: Buffer, text: string, context: string): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const octets = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), octets]).toString('base64url');
};

const unseal = (key: Buffer, sealed: Buffer, context: string): string => {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag);
  return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
};
