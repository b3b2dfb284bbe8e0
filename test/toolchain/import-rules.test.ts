import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violation } from '../../scripts/import-rules.ts';
import { importedSpecifiers } from '../../scripts/imported-specifiers.ts';

const root = join(import.meta.dirname, '..', '..');

const FORBIDDEN: readonly (readonly [from: string, specifier: string | null])[] = [
  ['main.ts', null],
  ['domain/call.ts', '../app/dialer.ts'],
  ['domain/call.ts', 'node:crypto'],
  ['domain/call.ts', 'kysely'],
  ['rtp/packet.ts', '../sip/parse.ts'],
  ['rtp/packet.ts', '../sdp/offer-answer.ts'],
  ['rtp/packet.ts', 'node:dgram'],
  ['sdp/offer-answer.ts', '../sip/parse.ts'],
  ['sdp/offer-answer.ts', '../domain/codec.ts'],
  ['sip/parse.ts', '../telephony/user-agent.ts'],
  ['sip/parse.ts', '../domain/call.ts'],
  ['sip/parse.ts', 'node:timers'],
  ['app/dialer.ts', '../store/open-store.ts'],
  ['app/dialer.ts', 'node:fs'],
  ['media/thread.ts', '../sip/parse.ts'],
  ['telephony/user-agent.ts', '../media/sockets.ts'],
  ['telephony/user-agent.ts', '../app/dialer.ts'],
  ['phone/phone.ts', '../telephony/user-agent.ts'],
  ['phone/phone.ts', '../domain/call.ts'],
  ['audio/ingest.ts', '../rtp/packet.ts'],
  ['audio/ingest.ts', '../store/open-store.ts'],
  ['store/migrations/first.ts', '../../app/dialer.ts'],
  ['webhooks/deliver.ts', '../store/open-store.ts'],
  ['http/server.ts', '../store/open-store.ts'],
  ['http/server.ts', '../sip/parse.ts'],
  ['cli/program.ts', '../main.ts'],
  ['cli/program.ts', '../domain/call.ts'],
  ['console/app.ts', '../cli/program.ts'],
  ['demo/demo.ts', '../main.ts'],
  ['demo/demo.ts', '../phone/phone.ts'],
  ['config.ts', './main.ts'],
  ['ringcast.ts', './store/open-store.ts'],
  ['main.ts', './ringcast.ts'],
  ['main.ts', '../test/support/peer.ts'],
  ['nowhere/file.ts', './other.ts'],
];

const ALLOWED: readonly (readonly [from: string, specifier: string])[] = [
  ['domain/call.ts', './codec.ts'],
  ['sip/parse.ts', 'node:crypto'],
  ['sip/parse.ts', '../rtp/packet.ts'],
  ['sdp/offer-answer.ts', 'sdp-transform'],
  ['app/dialer.ts', '../domain/call.ts'],
  ['telephony/user-agent.ts', '../media/link.ts'],
  ['phone/phone.ts', '../telephony/udp-transport.ts'],
  ['audio/ingest.ts', '../rtp/wav.ts'],
  ['store/migrations/first.ts', '../open-store.ts'],
  ['http/server.ts', '../app/dialer.ts'],
  ['http/server.ts', 'fastify'],
  ['cli/program.ts', '../config.ts'],
  ['demo/demo.ts', '../rtp/g711.ts'],
  ['ringcast.ts', './main.ts'],
  ['main.ts', './store/open-store.ts'],
  ['app/dialer.test.ts', '../main.ts'],
  ['app/dialer.test.ts', '../../test/support/peer.ts'],
];

describe('who may import whom', () => {
  it.each(FORBIDDEN)('forbids %s to import %s', (from, specifier) => {
    expect(violation(from, specifier)).toEqual(expect.any(String));
  });

  it.each(ALLOWED)('lets %s import %s', (from, specifier) => {
    expect(violation(from, specifier)).toBeNull();
  });
});

describe('finding what a module imports', () => {
  it.each([
    ["import { a } from '../a.ts';", '../a.ts'],
    ["import {\n  a,\n  type B,\n} from '../a.ts';", '../a.ts'],
    ["import type { A } from '../a.ts';", '../a.ts'],
    ["import '../a.ts';", '../a.ts'],
    ["export * from '../a.ts';", '../a.ts'],
    ["export { a } from '../a.ts';", '../a.ts'],
    ["export type { A } from '../a.ts';", '../a.ts'],
    ["const a = await import('../a.ts');", '../a.ts'],
    ["let a: import('../a.ts').A;", '../a.ts'],
    ["const a = require('../a.ts');", '../a.ts'],
    ['const a = await import(path);', null],
    ["const slashes = '//';\nimport { a } from '../a.ts';", '../a.ts'],
  ])('%j', (source, specifier) => {
    expect(importedSpecifiers(source).map((found) => found.specifier)).toEqual([specifier]);
  });

  it.each([
    "// import { a } from '../a.ts';",
    "/*\nimport { a } from '../a.ts';\n*/",
    "export const from = 'a';",
    "export const sentence = 'export it from there';",
    'const url = import.meta.url;',
  ])('finds none in %j', (source) => {
    expect(importedSpecifiers(source)).toEqual([]);
  });

  it('tells the line', () => {
    expect(importedSpecifiers("\n/* two\nlines */\nimport '../a.ts';")).toEqual([{ specifier: '../a.ts', line: 4 }]);
  });
});

const IMPURE = [
  'export const a = Date.now();',
  'export const a = performance.now();',
  'setTimeout(() => undefined, 1);',
  'setInterval(() => undefined, 1);',
  'export const a = process.env;',
  'export const a = Math.random();',
];

describe('the lint command', () => {
  const tree = mkdtempSync(join(tmpdir(), 'ringcast-lint-'));
  const write = (path: string, code: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), `${code}\n`);
  };

  beforeAll(() => {
    cpSync(join(root, 'biome.json'), join(tree, 'biome.json'));
    cpSync(join(root, 'scripts'), join(tree, 'scripts'), { recursive: true });
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  const lint = (path: string) => {
    const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [biome, 'lint', '--vcs-enabled=false', '--reporter=github', path],
      { cwd: tree, encoding: 'utf8' },
    );
    return { status, output: stdout + stderr };
  };

  it.each(['domain', 'sip', 'sdp', 'rtp'])('refuses clocks, timers, surroundings and chance in %s', (folder) => {
    for (const [index, code] of IMPURE.entries()) write(`src/${folder}/impure-${index}.ts`, code);
    const { status, output } = lint(`src/${folder}`);
    expect(status).toBe(1);
    for (const index of IMPURE.keys()) expect(output).toContain(`impure-${index}.ts`);
  });

  it('lets the other folders have them, and pure folders plain arithmetic', () => {
    write('src/app/impure.ts', IMPURE.map((code) => code.replace('export const a =', 'void')).join('\n'));
    write('src/rtp/nested/pure.ts', 'export const a = Math.max(1, 2);');
    expect(lint('src/app')).toMatchObject({ status: 0 });
    expect(lint('src/rtp/nested')).toMatchObject({ status: 0 });
  });

  it('reports a forbidden import with file and line, and fails', () => {
    write('src/domain/call.ts', "\nimport '../main.ts';");
    const script = join(tree, 'scripts', 'check-imports.ts');
    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('src/domain/call.ts:2: domain may not import main.ts');
  });
});
