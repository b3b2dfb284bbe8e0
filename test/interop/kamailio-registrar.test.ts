import { expect, it, onTestFinished } from 'vitest';
import { a, srv, startDnsServer } from '../support/dns-server.ts';
import { ADDRESS } from '../support/media.ts';
import { startRingcast } from '../support/ringcast.ts';
import { must } from '../support/scenario.ts';
import { openTestPhone } from '../support/test-phone.ts';
import { essenceOf, noiseClip, openCaller } from './caller.ts';
import { startKamailioWith } from './kamailio.ts';
import { describeWithPeer } from './peer-program.ts';

const CREDENTIALS = { username: 'ringcast', password: 'correct horse' };

/** A registrar that grants a minute at most, and tells on its log what it holds. */
const REGISTRAR = `
loadmodule "auth.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
modparam("auth", "algorithm", "SHA-256")
modparam("auth", "qop", "auth")
modparam("auth", "secret", "a secret of this test alone")
modparam("registrar", "max_expires", 60)

request_route {
  if (method == "REGISTER") {
    if (!pv_www_authenticate("kamailio", "${CREDENTIALS.password}", "0")) {
      www_challenge("kamailio", "1");
      exit;
    }
    save("location");
    if (registered("location", "$tu")) xlog("L_ALERT", "HOLDS $hdr(Expires) $ct\\n");
    else xlog("L_ALERT", "HOLDS NONE $hdr(Expires)\\n");
    exit;
  }
  sl_send_reply("200", "OK");
}
`;

const DRAINING = `
request_route {
  if (method == "OPTIONS") sl_send_reply("200", "OK");
  if (method == "INVITE") {
    xlog("L_ALERT", "DRAINING $rm\\n");
    sl_send_reply("503", "Draining");
  }
}
`;

const RELAY = (phone: string): string => `
request_route {
  if (method == "OPTIONS") {
    sl_send_reply("200", "OK");
    exit;
  }
  if (method == "CANCEL" || method == "ACK" || method == "BYE") {
    loose_route();
    t_relay();
    exit;
  }
  record_route();
  xlog("L_ALERT", "RELAYS $rm\\n");
  $ru = "${phone}";
  t_relay();
}
`;

describeWithPeer('kamailio', 'kamailio', () => {
  it('registers us under the user name, and forgets us when the trunk is changed or gone', async () => {
    const kamailio = await startKamailioWith(REGISTRAR);
    const server = await startRingcast();
    onTestFinished(() => server.close());
    const { api } = server;
    const trunk = { host: ADDRESS, port: kamailio.port, allowedPrefixes: ['+'], register: true, ...CREDENTIALS };
    const { id } = must(201, await api.operator('POST', '/trunks', { ...trunk, id: 'carrier' }));
    await kamailio.until('HOLDS 600');
    const read = async () => must(200, await api.operator('GET', `/trunks/${id}`));
    while ((await read()).registration.state !== 'registered');
    const { registration, degraded } = await read();
    expect([registration.reason, degraded]).toEqual([null, false]);
    const heldForMs = Date.parse(registration.expiresAt) - Date.now();
    expect(heldForMs).toBeGreaterThan(0);
    expect(heldForMs).toBeLessThanOrEqual(60_000);
    expect(kamailio.output()).toMatch(/HOLDS 600 <sip:carrier@127\.0\.0\.1:\d+>/);

    must(200, await api.operator('PUT', `/trunks/${id}`, { ...trunk, register: false }));
    await kamailio.until('HOLDS NONE 0');
    expect((await read()).registration).toBeNull();
  });

  it('is found by SRV, and the second of its servers takes the call when the first is draining', async () => {
    const { phone, until } = await openTestPhone();
    const [first, second] = [await startKamailioWith(DRAINING), await startKamailioWith(RELAY(phone.uri))];
    const dns = await startDnsServer({
      '_sip._udp.carrier.test': [srv('b.carrier.test', second.port, 20), srv('a.carrier.test', first.port, 10)],
      'a.carrier.test': [a(ADDRESS)],
      'b.carrier.test': [a(ADDRESS)],
    });
    const caller = await openCaller({ dnsServer: dns.server });
    for (const { port } of [first, second]) await caller.untilUp(port);
    const trunk = { id: 'carrier', host: 'carrier.test', port: null, transport: 'udp', credentials: null } as const;
    for (let nth = 1; nth <= 2; nth++) {
      const result = await caller.ring('+15551230000', { trunk, clips: [noiseClip('a', 10)] }).result;
      expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec: 'PCMU', framesSent: [10] });
      expect(await until('ended', nth)).toMatchObject({ how: 'bye' });
    }
    // The second call goes to the server that took the first.
    expect(first.output().match(/DRAINING INVITE/g)).toHaveLength(1);
    expect(second.output().match(/RELAYS INVITE/g)).toHaveLength(2);
    expect(dns.asked.filter((question) => question.startsWith('SRV'))).toEqual(['SRV _sip._udp.carrier.test']);
  });
});
