import { expect, it } from 'vitest';
import { ipOctets } from './ip-octets.ts';

it.each([
  ['192.0.2.7', 'c0000207'],
  ['::', '00'.repeat(16)],
  ['::1', `${'00'.repeat(15)}01`],
  ['2001:db8::7', `20010db8${'00'.repeat(11)}07`],
  ['2001:db8:1:2:3:4:5:6', '20010db8000100020003000400050006'],
  ['fe80::', `fe80${'00'.repeat(14)}`],
  ['fe80::1%eth0', `fe80${'00'.repeat(13)}01`],
  ['::ffff:192.0.2.7', `${'00'.repeat(10)}ffffc0000207`],
])('%s as octets', (address, hex) => {
  expect(Buffer.from(ipOctets(address)).toString('hex')).toBe(hex);
});
