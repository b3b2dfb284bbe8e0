/** Headers that carry credentials or challenges (RFC 3261 20, RFC 8760), folded lines included. */
const CREDENTIALS =
  /^((?:proxy-)?(?:authorization|authenticate)|www-authenticate|(?:proxy-)?authentication-info)([ \t]*:)((?:[^\r\n]|\r?\n[ \t])*)/gim;
/** What a digest may show; everything else in it may help to find the password, or to use it again. */
const HARMLESS = new Set([
  'realm',
  'algorithm',
  'qop',
  'stale',
  'uri',
  'username',
  'nc',
  'userhash',
  'domain',
  'charset',
]);
const PARAMETER = /([!#$%&'*+\-.^_`|~\w]{1,64})([ \t\r\n]*=[ \t\r\n]*)("(?:[^"\\]|\\[\s\S])*(?:"|$)|[^\s,]*)/g;
const DIGEST = /^[ \t\r\n]*digest[ \t\r\n]/i;
const INFO = /info$/i;

/** Keys of SRTP in an SDP body (RFC 4568 9.1, RFC 4567), and the obsolete `k=` (RFC 4566 5.12). */
const MEDIA_KEYS = /^(a=(?:crypto|key-mgmt):|k=)([^\r\n]*)/gim;
const INLINE_KEY = /(inline:)([^\s|;]*)/gi;
/** The password of a SIP URI (RFC 3261 19.1.1). */
const URI_PASSWORDS = /(sips?:[^\s@:<>,"]{0,256}:)([^\s@<>,"]{1,256})(?=@)/gi;

/** As long as what it hides, so that Content-Length stays true, and of a letter that Base64 knows: readers must cope. */
const hidden = (secret: string): string => secret.replace(/[^\s"]/g, 'x');

const maskParameters = (value: string): string =>
  value.replace(PARAMETER, (whole, name: string, equals: string, secret: string) =>
    HARMLESS.has(name.toLowerCase()) ? whole : `${name}${equals}${hidden(secret)}`,
  );

const maskCredentials = (value: string, name: string): string =>
  DIGEST.test(value) || INFO.test(name) ? maskParameters(value) : hidden(value);

/** The lifetime and number of a key are not secret. What is written in no way known here is hidden altogether. */
const maskMediaKey = (value: string): string =>
  value.search(INLINE_KEY) < 0
    ? hidden(value)
    : value.replace(INLINE_KEY, (_, inline: string, key: string) => inline + hidden(key));

/**
 * The message with its secrets crossed out: what a digest is made of, other credentials, media keys, passwords in URIs.
 * Not an octet shorter or longer.
 */
export const maskSecrets = (octets: Uint8Array): Uint8Array => {
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1');
  const masked = text
    .replace(
      CREDENTIALS,
      (_, name: string, colon: string, value: string) => name + colon + maskCredentials(value, name),
    )
    .replace(MEDIA_KEYS, (_, before: string, key: string) => before + maskMediaKey(key))
    .replace(URI_PASSWORDS, (_, before: string, password: string) => before + hidden(password));
  return Buffer.from(masked, 'latin1');
};
