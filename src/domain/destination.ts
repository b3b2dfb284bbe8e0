/** One address of a network: an E.164 number (needs a trunk) or a `sip:`/`sips:` URI. */
export type Destination =
  | { readonly kind: 'number'; readonly number: string }
  | { readonly kind: 'sip'; readonly uri: string };

const E164 = /^\+[1-9][0-9]{1,14}$/;
/** user@host[:port][;params], with the characters RFC 3261 25.1 allows unescaped, and no header part. */
const SIP_URI =
  /^sips?:(?:[A-Za-z0-9\-_.!~*'()&=+$,;?/%]+@)?(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?:;[A-Za-z0-9\-_.!~*'()%[\]/:&+$=]+)*$/;

/** Reads a destination, or returns null if it is neither an E.164 number nor a SIP URI of at most 255 characters. */
export const parseDestination = (text: string): Destination | null => {
  if (E164.test(text)) return { kind: 'number', number: text };
  if (text.length <= 255 && isSipUri(text)) return { kind: 'sip', uri: text };
  return null;
};

const isSipUri = (text: string): boolean => {
  const [uri, port = '5060'] = SIP_URI.exec(text) ?? [];
  return uri !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
};
