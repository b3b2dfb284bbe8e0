import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { SipTlsFiles } from './config-values.ts';
import { StartError } from './data-directory.ts';
import type { TlsMaterial } from './telephony/sip-transport.ts';

/** Reads a file of PEM that holds what `label` says. Throws StartError. */
const readPem = async (variable: string, path: string, label: 'CERTIFICATE' | 'PRIVATE KEY'): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new StartError(`${variable}: the file ${path} cannot be read (${error.message}).`, { cause: error });
  });
  if (new RegExp(`^-----BEGIN (?:[A-Z]+ )*${label}-----$`, 'm').test(text)) return text;
  throw new StartError(`${variable}: the file ${path} holds no ${label.toLowerCase()}: expected PEM.`);
};

/** Throws StartError if OpenSSL does not take it. */
const check = (variable: string, expected: string, take: () => unknown): void => {
  try {
    take();
  } catch (error) {
    const problem = `${variable} cannot be used (${(error as Error).message}): expected ${expected}.`;
    throw new StartError(problem, { cause: error });
  }
};

const readOwn = async ({ own }: SipTlsFiles): Promise<TlsMaterial['own']> => {
  if (!own) return null;
  const certificate = await readPem('RINGCAST_SIP_TLS_CERT', own.certificatePath, 'CERTIFICATE');
  const key = await readPem('RINGCAST_SIP_TLS_KEY', own.keyPath, 'PRIVATE KEY');
  const expected = 'a key without a passphrase that belongs to the certificate';
  check('RINGCAST_SIP_TLS_CERT or RINGCAST_SIP_TLS_KEY', expected, () =>
    createSecureContext({ cert: certificate, key }),
  );
  return { certificate, key };
};

const readAuthorities = async ({ authoritiesPath }: SipTlsFiles): Promise<string | null> => {
  if (authoritiesPath === null) return null;
  const authorities = await readPem('RINGCAST_SIP_TLS_CA', authoritiesPath, 'CERTIFICATE');
  check('RINGCAST_SIP_TLS_CA', 'whole certificates', () => new X509Certificate(authorities));
  return authorities;
};

/** Reads what SIP over TLS needs. Throws StartError with a sentence that names the variable and the file. */
export const readSipTls = async (files: SipTlsFiles): Promise<TlsMaterial> => ({
  own: await readOwn(files),
  authorities: await readAuthorities(files),
});
