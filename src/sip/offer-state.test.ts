import { expect, test } from 'vitest';
import { isGlare, type OfferState } from './offer-state.ts';

test.each([
  ['inviting', true, true, false],
  ['answered', true, false, false],
  ['stable', false, false, false],
  ['reinviting', true, true, false],
  ['offering', true, true, false],
] as const)('%s: INVITE %s, UPDATE with an offer %s, UPDATE without %s', (state: OfferState, invite, offer, bare) => {
  expect(isGlare(state, 'INVITE', true)).toBe(invite);
  expect(isGlare(state, 'INVITE', false)).toBe(invite);
  expect(isGlare(state, 'UPDATE', true)).toBe(offer);
  expect(isGlare(state, 'UPDATE', false)).toBe(bare);
});
