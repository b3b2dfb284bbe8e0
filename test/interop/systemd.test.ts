import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithPeer } from './peer-program.ts';

/** Tenths of the exposure, from 0 (safe) to 100, that `systemd-analyze security` may find at most. */
const MOST_EXPOSURE = 25;

describeWithPeer('systemd-analyze', 'systemd', () => {
  let folder: string;
  let unit: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ringcast-unit-'));
    unit = join(folder, 'ringcast.service');
    const text = readFileSync(fileURLToPath(new URL('../../deploy/ringcast.service', import.meta.url)), 'utf8');
    // What it starts has to exist.
    writeFileSync(unit, text.replace('/usr/local/bin/ringcast', process.execPath));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('finds nothing wrong with the unit', () => {
    expect(execFileSync('systemd-analyze', ['verify', unit], { encoding: 'utf8', stdio: 'pipe' })).toBe('');
  });

  it('finds the unit well confined', () => {
    const args = ['security', '--offline=true', `--threshold=${MOST_EXPOSURE}`, '--no-pager', unit];
    expect(execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: 'pipe' })).toContain('OK');
  });
});
