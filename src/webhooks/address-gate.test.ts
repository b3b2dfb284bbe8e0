import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAddressGate } from './address-gate.ts';

const REFUSED = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'localhost',
  '',
];
const TAKEN = [
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.0',
  '172.32.0.1',
  '192.0.1.1',
  '2606:4700::1111',
  '2a00:1450::1',
];

describe('the gate of addresses', () => {
  const isOpen = createAddressGate([]);

  it.each(REFUSED)('refuses %s', (address) => {
    expect(isOpen(address)).toBe(false);
  });

  it.each(TAKEN)('takes %s', (address) => {
    expect(isOpen(address)).toBe(true);
  });

  it('takes what the operator allows, and nothing beside it', () => {
    const allowing = createAddressGate([
      { address: '127.0.0.0', prefixBits: 8 },
      { address: 'fd00::', prefixBits: 8 },
    ]);
    expect([allowing('127.0.0.1'), allowing('fd00::1')]).toEqual([true, true]);
    expect([allowing('10.0.0.1'), allowing('::1'), allowing('fc00::1')]).toEqual([false, false, false]);
  });

  it('never takes IPv6 outside the internet', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(new URL(`http://[${address}]`).hostname.slice(1).split(':', 1)[0] || '0', 16);
        if (first < 0x2000 || first > 0x3fff) expect(isOpen(address)).toBe(false);
      }),
    );
  });
});
