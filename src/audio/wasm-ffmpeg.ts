import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DecoderProgram } from './decoder-process.ts';

const HEAP_MIB = 128;

const require = createRequire(import.meta.url);
const thisFile = fileURLToPath(import.meta.url);

/** The script has the extension that this file has: `.ts` in src, `.js` in dist. */
const childScript = join(dirname(thisFile), `wasm-ffmpeg-child${extname(thisFile)}`);

const versionOf = (corePath: string): string =>
  JSON.parse(readFileSync(join(dirname(corePath), '../../package.json'), 'utf8')).version;

/**
 * FFmpeg in WebAssembly, in a Node process of its own that may read its program and nothing else: no file is
 * writable, no process can be started, no connection made (Node's permission model). It bounds its own memory,
 * since a limit on address space would hit what V8 reserves.
 */
export const wasmFfmpeg = (): DecoderProgram => {
  const corePath = require.resolve('@ffmpeg/core');
  const wasmPath = require.resolve('@ffmpeg/core/wasm');
  const readable = [childScript, corePath, wasmPath].map((path) => `--allow-fs-read=${path}`);
  return {
    description: `FFmpeg in WebAssembly (@ffmpeg/core ${versionOf(corePath)})`,
    command: process.execPath,
    prefix: ['--permission', ...readable, `--max-old-space-size=${HEAP_MIB}`, childScript, corePath, wasmPath],
    addressSpaceKiB: 'unlimited',
  };
};
