import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { SipTlsFiles } from './config.ts';
import { StartError } from './data-directory.ts';
import type { TlsMaterial } from './telephony/sip-transport.ts';

const read = async (variable: string, path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartError(`${variable}: the file ${path} cannot be read (${(error as Error).message}).`, {
      cause: error,
    });
  }
};

/** Throws StartError unless OpenSSL takes it. */
const check = (variable: string, context: Parameters<typeof createSecureContext>[0]): void => {
  try {
    createSecureContext(context);
  } catch (error) {
    const expected = 'expected PEM, and a key without a passphrase that belongs to the certificate';
    throw new StartError(`${variable} cannot be used (${(error as Error).message}): ${expected}.`, { cause: error });
  }
};

const readOwn = async ({ own }: SipTlsFiles): Promise<TlsMaterial['own']> => {
  if (!own) return null;
  const certificate = await read('RINGCAST_SIP_TLS_CERT', own.certificatePath);
  const key = await read('RINGCAST_SIP_TLS_KEY', own.keyPath);
  check('RINGCAST_SIP_TLS_CERT or RINGCAST_SIP_TLS_KEY', { cert: certificate, key });
  return { certificate, key };
};

const readAuthorities = async ({ authoritiesPath }: SipTlsFiles): Promise<string | null> => {
  if (authoritiesPath === null) return null;
  const authorities = await read('RINGCAST_SIP_TLS_CA', authoritiesPath);
  if (authorities.includes('-----BEGIN CERTIFICATE-----')) return authorities;
  throw new StartError(`RINGCAST_SIP_TLS_CA: the file ${authoritiesPath} holds no certificate: expected PEM.`);
};

/** Reads what SIP over TLS needs. Throws StartError with a sentence that names the variable and the file. */
export const readSipTls = async (files: SipTlsFiles): Promise<TlsMaterial> => ({
  own: await readOwn(files),
  authorities: await readAuthorities(files),
});
