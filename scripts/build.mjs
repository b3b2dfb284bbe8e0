// `npm run build`: what is published. tsc turns src into dist; assets stay beside dist, at the root of the package.
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
if (status === 0) chmodSync(join(dist, 'ringcast.js'), 0o755);
process.exitCode = status ?? 1;
