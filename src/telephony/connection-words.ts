/** What OpenSSL says of a chain that ends in no authority we trust. */
const UNTRUSTED: readonly string[] = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
];

const isUntrusted = (error: Error): boolean => 'code' in error && UNTRUSTED.some((code) => code === error.code);

/** Why a connection could not be had, for the operator: no lines of OpenSSL's source, no options of Node. */
export const connectionWords = (error: Error): string => {
  if (isUntrusted(error))
    return 'its certificate comes from an authority that is not trusted; RINGCAST_SIP_TLS_CA holds those that are';
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message.replace(/\.$/, '');
};
