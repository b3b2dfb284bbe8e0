import { once } from 'node:events';
import { createServer, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CertificateFiles, createAuthority } from '../../test/support/certificates.ts';
import { requestOf } from '../../test/support/sip-messages.ts';
import { createQueue, failureOf, hopTo, openBench, openRawServer, sendText } from '../../test/support/stream-bench.ts';
import { type Hop, NotConnected } from '../sip/hop.ts';
import { serializeMessage } from '../sip/serialize.ts';

const BYE = new TextDecoder().decode(serializeMessage(requestOf('BYE')));

const own = ({ certificate, key }: CertificateFiles) => ({ certificate, key });

/** A peer that listens over TLS, and one of ours that trusts its authority. */
const openPair = async (subjectAltName: string, validity?: 'expired') => {
  const authority = await createAuthority();
  const certificate = await authority.issue('peer', subjectAltName, validity);
  const peer = await openBench({ tls: { own: own(certificate), authorities: null } });
  const ours = await openBench({ tls: { own: null, authorities: authority.certificate } });
  return { peer, ours };
};

describe('TLS to a peer', () => {
  test('whose certificate proves the name that led there carries messages both ways', async () => {
    const { peer, ours } = await openPair('DNS:sip.test,IP:127.0.0.1');
    sendText(ours.transport, BYE, hopTo(peer.transport, 'tls', 'sip.test'));
    const { text, from } = await peer.heard.at(0);
    expect([text, from.transport]).toEqual([BYE, 'tls']);
    sendText(peer.transport, BYE, from);
    expect((await ours.heard.at(0)).from).toMatchObject(hopTo(peer.transport, 'tls', 'sip.test'));
  });

  test('has a connection for each name: what proved one has not proved another', async () => {
    const { peer, ours } = await openPair('DNS:a.test,DNS:b.test');
    for (const name of ['a.test', 'b.test', 'a.test'])
      sendText(ours.transport, BYE, hopTo(peer.transport, 'tls', name));
    await peer.heard.at(2);
    expect(new Set(peer.heard.items.map(({ from }) => from.connection)).size).toBe(2);
    const other = hopTo(peer.transport, 'tls', 'c.test');
    expect((await failureOf(ours.transport, BYE, other)).message).toContain('certificate of c.test is for others');
  });

  test.each([
    ['that is expired', 'DNS:sip.test', 'expired', /expired/],
    ['of another name', 'DNS:other.test', undefined, /certificate of sip\.test is for others: DNS:other\.test/],
    ['of another address', 'IP:127.0.0.2', undefined, /is for others/],
  ] as const)('with a certificate %s: nothing is sent', async (_name, subjectAltName, validity, words) => {
    const { peer, ours } = await openPair(subjectAltName, validity);
    const failure = await failureOf(ours.transport, BYE, hopTo(peer.transport, 'tls', 'sip.test'));
    expect(failure).toBeInstanceOf(NotConnected);
    expect(failure.message).toMatch(words);
    expect(peer.heard.items).toEqual([]);
  });

  test('of an authority that nobody trusts: nothing is sent', async () => {
    const { peer } = await openPair('DNS:sip.test');
    const { transport } = await openBench();
    const failure = await failureOf(transport, BYE, hopTo(peer.transport, 'tls', 'sip.test'));
    expect(failure.message).toMatch(
      /^No TLS connection .*: its certificate comes from an authority that is not trusted;/,
    );
  });

  test('that speaks no TLS: nothing is sent', async () => {
    const { ours } = await openPair('DNS:sip.test');
    const { hop, sockets } = await openRawServer();
    const failure = failureOf(ours.transport, BYE, { ...hop, transport: 'tls', tlsName: 'sip.test' });
    (await sockets.at(0)).write(BYE);
    expect(await failure).toBeInstanceOf(NotConnected);
  });
});

describe('a peer that demands a certificate', () => {
  const openDemanding = async () => {
    const authority = await createAuthority();
    const { certificate: cert, key } = await authority.issue('peer', 'DNS:sip.test');
    const sockets = createQueue<TLSSocket>();
    const server = createServer(
      { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true },
      (socket) => sockets.push(socket.on('error', () => undefined)),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      for (const socket of sockets.items) socket.destroy();
    });
    const bound = server.address();
    const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
    const hop: Hop = { transport: 'tls', address: '127.0.0.1', port, tlsName: 'sip.test' };
    return { authority, sockets, hop };
  };

  test('is shown ours, and told by SNI whom we want', async () => {
    const { authority, sockets, hop } = await openDemanding();
    const ours = await authority.issue('ringcast', 'DNS:ringcast.test');
    const { transport } = await openBench({ tls: { own: own(ours), authorities: authority.certificate } });
    sendText(transport, BYE, hop);
    const socket = await sockets.at(0);
    expect([socket.authorized, socket.getPeerX509Certificate()?.subjectAltName, socket.servername]).toEqual([
      true,
      'DNS:ringcast.test',
      'sip.test',
    ]);
  });

  test('and gets none loses the connection', async () => {
    const { authority, sockets, hop } = await openDemanding();
    const { transport, lost } = await openBench({ tls: { own: null, authorities: authority.certificate } });
    sendText(transport, BYE, hop);
    // TLS 1.3: our side is done with the handshake before the peer misses the certificate.
    expect(await lost.at(0)).toMatchObject(hop);
    expect(sockets.items).toEqual([]);
  });
});
