import { readFile } from 'node:fs/promises';
import { CARRIED_CODECS, G711_FRAME_BYTES } from '../domain/codec.ts';
import type { BuiltInGreeting } from '../domain/ports.ts';

/** The package's `assets` folder is as far from `src/audio` as from `dist/audio`. */
const readAsset = (name: string): Promise<Buffer> => readFile(new URL(`../../assets/${name}`, import.meta.url));

/** Loads the greeting that is played where no other is named; its renditions are part of the package. */
export const loadBuiltInGreeting = async (): Promise<BuiltInGreeting> => {
  const [PCMU, PCMA] = await Promise.all(CARRIED_CODECS.map((codec) => readAsset(`greeting.${codec.toLowerCase()}`)));
  if (!PCMU || !PCMA || PCMU.length !== PCMA.length || PCMU.length % G711_FRAME_BYTES !== 0) {
    throw new Error('The built-in greeting in assets/ is damaged: install the package again.');
  }
  return { frameCount: PCMU.length / G711_FRAME_BYTES, renditions: { PCMU, PCMA } };
};
