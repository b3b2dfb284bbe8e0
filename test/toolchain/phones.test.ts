import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BARESIP, LINPHONE, SIPP } from '../interop/tried.ts';

const MANUAL = readFileSync(new URL('../../docs/manual.md', import.meta.url), 'utf8');

it.each([BARESIP, LINPHONE, SIPP])('the manual says what is tried with $name', ({ name, codecs, suites, keys }) => {
  const said = suites.length === 0 ? 'none' : suites.join(', ');
  expect(MANUAL).toContain(`| ${name} | ${codecs.join(', ')} | ${said} | ${keys} |`);
});
