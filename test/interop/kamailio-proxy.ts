import type { CallTrunk } from '../../src/domain/call.ts';
import { ADDRESS } from '../support/media.ts';
import { type KamailioProgram, type KamailioTls, startKamailioWith } from './kamailio.ts';

export const CREDENTIALS = { username: 'ringcast', password: 'correct horse' };
export interface Proxy {
  readonly algorithm: 'MD5' | 'SHA-256';
  /** 401 or 407. */
  readonly challenge: 'www' | 'proxy';
  /** Where calls that are let in go. */
  readonly phone: string;
  /** To be reached over TLS too. */
  readonly tls?: KamailioTls;
}

const portOf = (uri: string): string => /:([0-9]+)$/.exec(uri)?.[1] ?? '0';

/**
 * A proxy that lets in one user, counts nonces, and stays in the dialog. It says on its log what it refused and let in.
 * What the phone sends it brings to us. `qop` and the flag 1 ask for qop=auth, 17 says stale=true besides.
 */
const routes = ({ algorithm, challenge, phone }: Proxy): string => `loadmodule "auth.so"
modparam("auth", "algorithm", "${algorithm}")
modparam("auth", "qop", "auth")
modparam("auth", "nonce_count", 1)
modparam("auth", "secret", "a secret of this test alone")

request_route {
  if (method == "OPTIONS") {
    ${challenge}_challenge("kamailio, digest", "1");
    exit;
  }
  if (method == "CANCEL" || (method == "ACK" && !loose_route())) {
    t_relay();
    exit;
  }
  if (method == "INVITE" || (method == "BYE" && $sp != ${portOf(phone)})) {
    pv_${challenge}_authenticate("kamailio, digest", "${CREDENTIALS.password}", "0");
    $var(verdict) = $rc;
    if ($var(verdict) == -4 || $var(verdict) == -6) {
      xlog("L_ALERT", "STALE $rm\\n");
      ${challenge}_challenge("kamailio, digest", "17");
      exit;
    }
    if ($var(verdict) < 0) {
      xlog("L_ALERT", "REFUSED $rm\\n");
      ${challenge}_challenge("kamailio, digest", "1");
      exit;
    }
    xlog("L_ALERT", "LET IN $rm $au over $pr\\n");
    consume_credentials();
  }
  if (method == "INVITE") {
    record_route();
    $ru = "${phone}";
  } else {
    loose_route();
  }
  t_relay();
}
`;

export interface KamailioProxy extends KamailioProgram {
  readonly trunk: CallTrunk & { readonly port: number };
  /** What it logged, in order: `REFUSED INVITE`. */
  verdicts(): string[];
}

export const startProxy = async (proxy: Proxy): Promise<KamailioProxy> => {
  const peer = await startKamailioWith(routes(proxy), proxy.tls);
  const trunk = { id: 'kamailio', host: ADDRESS, port: peer.port, transport: 'udp' as const, credentials: CREDENTIALS };
  const verdicts = (): string[] => peer.output().match(/(?:STALE|REFUSED|LET IN) \w+/g) ?? [];
  return { ...peer, trunk, verdicts };
};
