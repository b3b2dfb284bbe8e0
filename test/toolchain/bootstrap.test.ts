import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = join(import.meta.dirname, '..', '..');

/** A stand-in for npm that notes each call and installs a "pinned Node": this one, behind a shell script. */
const FAKE_NPM = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
if (process.env.FAKE_NPM_FAILS) {
  console.error('npm error code ENOTFOUND');
  process.exit(1);
}
mkdirSync('node_modules/node/bin', { recursive: true });
if (!process.env.FAKE_NPM_BLOCKS_SCRIPTS) {
  writeFileSync('node_modules/node/bin/node', '#!/bin/sh\\nPINNED=yes exec ' + process.execPath + ' "$@"\\n', { mode: 0o755 });
}
`;
const PROBE = `console.log(JSON.stringify({ pinned: process.env.PINNED ?? 'no', args: process.argv.slice(2) }));`;

let checkout = '';

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'ringcast-bootstrap-'));
  cpSync(join(repository, 'scripts'), join(checkout, 'scripts'), { recursive: true });
  cpSync(join(repository, 'ringcast'), join(checkout, 'ringcast'));
  write('package.json', '{"type":"module"}');
  write('package-lock.json', '{"packages":{"":{},"node_modules/a":{"version":"1.0.0","integrity":"sha512-a"}}}');
  write('probe.mjs', PROBE);
  write('fake/npm-cli.js', FAKE_NPM);
  write('fake/package.json', '{"type":"commonjs"}');
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), content);
}

const npmCalls = (): string[] =>
  existsSync(join(checkout, 'npm-calls')) ? readFileSync(join(checkout, 'npm-calls'), 'utf8').trim().split('\n') : [];

function start(args: readonly string[], env: Record<string, string> = {}) {
  const [file = '', ...rest] = args;
  return spawn(file, rest, {
    cwd: checkout,
    env: { ...process.env, npm_execpath: join(checkout, 'fake', 'npm-cli.js'), ...env },
  });
}

async function finish(child: ReturnType<typeof start>) {
  const [out, err, [status, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, status, signal };
}

const bootstrap = (args: readonly string[], env?: Record<string, string>) =>
  finish(start([process.execPath, join(checkout, 'scripts', 'bootstrap.mjs'), ...args], env));

describe('bootstrap', () => {
  it('installs once, then runs the script on the pinned Node with its arguments', async () => {
    const first = await bootstrap(['probe.mjs', 'a b', '--c']);
    expect(JSON.parse(first.out)).toEqual({ pinned: 'yes', args: ['a b', '--c'] });
    expect(first.err).toContain('once');
    const second = await bootstrap(['probe.mjs']);
    expect(second).toMatchObject({ status: 0, err: '' });
    expect(npmCalls()).toHaveLength(1);
  });

  it('installs again when package-lock.json changes', async () => {
    await bootstrap(['probe.mjs']);
    write('package-lock.json', '{"packages":{}}');
    await bootstrap(['probe.mjs']);
    expect(npmCalls()).toHaveLength(2);
  });

  it('installs once for runs at the same time', async () => {
    const runs = await Promise.all([1, 2, 3, 4].map(() => bootstrap(['probe.mjs'])));
    expect(runs.map((run) => JSON.parse(run.out).pinned)).toEqual(['yes', 'yes', 'yes', 'yes']);
    expect(npmCalls()).toHaveLength(1);
  });

  it('takes over the lock of a run that is gone', async () => {
    const gone = start([process.execPath, '-e', '']);
    await once(gone, 'exit');
    write('.bootstrap.lock', String(gone.pid));
    expect(await bootstrap(['probe.mjs'])).toMatchObject({ status: 0 });
    expect(existsSync(join(checkout, '.bootstrap.lock'))).toBe(false);
  });

  it('recognizes what npm installed by itself', async () => {
    write('node_modules/node/bin/node', '');
    write('node_modules/.package-lock.json', '{"packages":{"node_modules/a":{"integrity":"sha512-a"}}}');
    await bootstrap(['probe.mjs']);
    expect(npmCalls()).toEqual([]);
  });

  it('does not take an installation that lacks a package for complete', async () => {
    write('node_modules/node/bin/node', '');
    write('node_modules/.package-lock.json', '{"packages":{}}');
    await bootstrap(['probe.mjs']);
    expect(npmCalls()).toHaveLength(1);
  });

  it('overrides what an outer npm leaves in the environment', async () => {
    await bootstrap(['probe.mjs'], { npm_config_dry_run: 'true', npm_config_omit: 'dev', NODE_ENV: 'production' });
    expect(npmCalls()[0]).toMatch(/^ci .*--include=dev .*--dry-run=false/);
  });

  it("shows npm's error in one piece, fails, and tries again the next time", async () => {
    const failed = await bootstrap(['probe.mjs'], { FAKE_NPM_FAILS: '1' });
    expect(failed).toMatchObject({ status: 1, out: '' });
    expect(failed.err).toContain('npm ci failed');
    expect(failed.err).toContain('npm error code ENOTFOUND');
    expect(await bootstrap(['probe.mjs'])).toMatchObject({ status: 0 });
  });

  it('uses the present Node, if new enough, where the pinned one could not be installed', async () => {
    const run = await bootstrap(['probe.mjs'], { FAKE_NPM_BLOCKS_SCRIPTS: '1' });
    expect(JSON.parse(run.out)).toEqual({ pinned: 'no', args: [] });
  });

  it('passes standard input and the exit status through', async () => {
    write('echo.mjs', 'process.stdin.pipe(process.stdout); process.stdin.on("end", () => { process.exitCode = 7; });');
    const child = start([process.execPath, 'scripts/bootstrap.mjs', 'echo.mjs']);
    child.stdin.end('spoken');
    expect(await finish(child)).toMatchObject({ out: 'spoken', status: 7 });
  });
});

describe('the launcher', () => {
  it('runs src/ringcast.ts from another folder and through a symbolic link', async () => {
    write('src/ringcast.ts', PROBE);
    mkdirSync(join(checkout, 'bin'));
    symlinkSync('../ringcast', join(checkout, 'bin', 'link'));
    symlinkSync(join(checkout, 'bin', 'link'), join(checkout, 'elsewhere'));
    const child = spawn(join(checkout, 'elsewhere'), ['calls', '--json'], {
      cwd: tmpdir(),
      env: { ...process.env, npm_execpath: join(checkout, 'fake', 'npm-cli.js') },
    });
    const run = await finish(child);
    expect(JSON.parse(run.out)).toEqual({ pinned: 'yes', args: ['calls', '--json'] });
  });
});

describe('where Node cannot replace itself', () => {
  const CHILD = `
    process.on('SIGTERM', () => { console.log('told'); process.exit(5); });
    console.log('ready');
    setInterval(() => undefined, 1000);`;

  const standIn = (code: string) => {
    const parent = `process.execve = undefined;
      const { handOver } = await import(${JSON.stringify(join(repository, 'scripts', 'bootstrap', 'hand-over.mjs'))});
      handOver(process.execPath, ['-e', ${JSON.stringify(code)}]);`;
    return start([process.execPath, '--input-type=module', '-e', parent]);
  };

  it('forwards a signal and answers with the exit status', async () => {
    const child = standIn(CHILD);
    child.stdout.on('data', (line) => String(line).includes('ready') && child.kill('SIGTERM'));
    expect(await finish(child)).toMatchObject({ out: 'ready\ntold\n', status: 5 });
  });

  it("ends by the program's own signal", async () => {
    expect(await finish(standIn('process.kill(process.pid, "SIGKILL")'))).toMatchObject({ signal: 'SIGKILL' });
    expect(await finish(standIn('process.kill(process.pid, "SIGTERM")'))).toMatchObject({ signal: 'SIGTERM' });
  });
});
