import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

const SIP_URIS = /(?:^|, )URI:sips?:([^@,"\s]+)(?=,|$)/gi;

/**
 * Domains that a certificate vouches for by SIP URIs: if it names any, host names do not count (RFC 5922 7.1). Where
 * names had to be quoted, which no honest one has to be, none are read.
 */
const sipDomainsOf = ({ subjectAltName = '' }: X509Certificate): readonly string[] =>
  subjectAltName.includes('"')
    ? []
    : Array.from(subjectAltName.matchAll(SIP_URIS), ([, domain = '']) => domain.toLowerCase());

const proves = (certificate: X509Certificate, name: string): boolean => {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  const sipDomains = sipDomainsOf(certificate);
  if (sipDomains.length > 0) return sipDomains.includes(name.toLowerCase());
  return certificate.checkHost(name, { partialWildcards: false }) !== undefined;
};

/**
 * Why a certificate (DER), whose chain is trusted, does not prove the name or IP address of a peer (RFC 5922 7.2);
 * undefined if it does.
 */
export const identityProblem = (raw: Uint8Array, name: string): Error | undefined => {
  const certificate = new X509Certificate(raw);
  if (proves(certificate, name)) return undefined;
  const others = certificate.subjectAltName ?? certificate.subject;
  return new Error(`The certificate of ${name} is for others: ${others}.`);
};
