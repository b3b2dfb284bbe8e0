import { CODECS, type Codec } from '../../src/domain/codec.ts';
import { SRTP_SUITES, type SrtpSuiteName } from '../../src/rtp/srtp-suite.ts';

/** What a phone can do, all of which is tried with it; the manual's table of phones says the same. */
export interface TriedPhone {
  readonly name: string;
  readonly codecs: readonly Codec[];
  readonly suites: readonly SrtpSuiteName[];
  readonly keys: string;
}

export const BARESIP: TriedPhone = {
  name: 'baresip 1.0',
  codecs: CODECS,
  suites: Object.keys(SRTP_SUITES) as SrtpSuiteName[],
  keys: 'RFC 4733',
};

export const LINPHONE: TriedPhone = {
  name: 'linphone 5.1',
  codecs: CODECS,
  suites: ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'],
  keys: 'SIP INFO',
};

export const SIPP: TriedPhone = { name: 'sipp 3.6', codecs: CODECS, suites: [], keys: 'SIP INFO' };
