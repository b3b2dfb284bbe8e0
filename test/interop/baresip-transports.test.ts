import { expect, it } from 'vitest';
import { createAuthority } from '../support/certificates.ts';
import { startBaresip } from './baresip.ts';
import { essenceOf, noiseClip, openCaller } from './caller.ts';
import { describeWithPeer } from './peer-program.ts';

const CLIPS = { clips: [noiseClip('one', 25), noiseClip('two', 1)] };
const COMPLETED = { outcome: 'completed', sipStatus: 200, codec: 'PCMU', framesSent: [25, 1] };

describeWithPeer('baresip', 'baresip-core', () => {
  it('is rung and hung up over TCP', async () => {
    const baresip = await startBaresip('PCMU');
    const caller = await openCaller();
    const result = await caller.ring(`${baresip.uri};transport=tcp`, CLIPS).result;
    expect(essenceOf(result)).toEqual(COMPLETED);
    await baresip.until('session closed');
  });

  it('is rung and hung up over TLS, and proves who it is', async () => {
    const authority = await createAuthority();
    const [theirs, ours] = [
      await authority.issue('baresip', 'IP:127.0.0.1'),
      await authority.issue('ours', 'DNS:a.test'),
    ];
    const baresip = await startBaresip('PCMU', { certificate: theirs });
    const { certificate, key } = ours;
    const caller = await openCaller({ tls: { own: { certificate, key }, authorities: authority.certificate } });
    const tlsUri = baresip.uri.replace(/[0-9]+$/, (port) => `${Number(port) + 1};transport=tls`);
    const result = await caller.ring(tlsUri, CLIPS).result;
    expect(essenceOf(result)).toEqual(COMPLETED);
    await baresip.until('session closed');
  });

  it('is not rung over TLS if its certificate is of another', async () => {
    const authority = await createAuthority();
    const baresip = await startBaresip('PCMU', { certificate: await authority.issue('baresip', 'DNS:other.test') });
    const caller = await openCaller({ tls: { own: null, authorities: authority.certificate } });
    const tlsUri = baresip.uri.replace(/[0-9]+$/, (port) => `${Number(port) + 1};transport=tls`);
    const result = await caller.ring(tlsUri, CLIPS).result;
    expect(essenceOf(result)).toMatchObject({ outcome: 'unreachable', sipStatus: null });
  });
});
