import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { type Check, ok, problem } from './check.ts';
import { sentenceOf } from './failure.ts';

/** Paths of PEM files; empty for one that is not set. */
export interface TlsPaths {
  readonly certificate: string;
  readonly key: string;
  readonly authorities: string;
}

const day = (date: Date): string => date.toISOString().slice(0, 10);

const judgeValidity = (name: string, certificate: X509Certificate, nowMs: number): Check => {
  const { subject, subjectAltName, validFromDate, validToDate } = certificate;
  const whose = subjectAltName ?? subject;
  if (validToDate.getTime() < nowMs) {
    return problem(name, `${whose} ended on ${day(validToDate)}`, 'renew it, and start the server again');
  }
  if (validFromDate.getTime() > nowMs) {
    return problem(name, `${whose} begins on ${day(validFromDate)}`, "look at this machine's clock");
  }
  return ok(name, `${whose} until ${day(validToDate)}`);
};

const checkOwn = async ({ certificate, key }: TlsPaths, nowMs: number): Promise<Check> => {
  const name = 'sip certificate';
  const both = 'set both RINGCAST_SIP_TLS_CERT and RINGCAST_SIP_TLS_KEY, or neither';
  if (certificate === '' || key === '') return problem(name, 'only one of certificate and key is set', both);
  try {
    const [cert, secret] = await Promise.all([readFile(certificate), readFile(key)]);
    createSecureContext({ cert, key: secret });
    return judgeValidity(name, new X509Certificate(cert), nowMs);
  } catch (error) {
    const fix = 'name PEM files that belong together and that this user can read';
    return problem(name, `${certificate} with ${key} cannot be used (${sentenceOf(error)})`, fix);
  }
};

const checkAuthorities = async ({ authorities }: TlsPaths, nowMs: number): Promise<Check> => {
  const name = 'sip authorities';
  try {
    return judgeValidity(name, new X509Certificate(await readFile(authorities)), nowMs);
  } catch (error) {
    const words = `${authorities} cannot be used (${sentenceOf(error)})`;
    return problem(name, words, 'name a PEM file of whole certificates in RINGCAST_SIP_TLS_CA');
  }
};

/** Whether the certificates of SIP over TLS can be read, belong together and hold today; none for what is not set. */
export const checkTls = async (paths: TlsPaths, nowMs: number): Promise<Check[]> => {
  const own = paths.certificate !== '' || paths.key !== '' ? [checkOwn(paths, nowMs)] : [];
  const others = paths.authorities !== '' ? [checkAuthorities(paths, nowMs)] : [];
  return Promise.all([...own, ...others]);
};
