// `npm run lint`: format and lint by Biome, to which arguments go (`npm run lint -- --write`), then who imports whom.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
const { status } = spawnSync(process.execPath, [biome, 'check', '--error-on-warnings', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
await import('./check-imports.ts');
if (status !== 0) process.exitCode = status ?? 1;
