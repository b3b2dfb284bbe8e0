import { readFile } from 'node:fs/promises';
import { CODECS, type Codec, G711_FRAME_BYTES, renditionBytes } from '../domain/codec.ts';
import type { BuiltInGreeting } from '../domain/ports.ts';

/** The package's `assets` folder is as far from `src/audio` as from `dist/audio`. */
const readAsset = (codec: Codec): Promise<Buffer> =>
  readFile(new URL(`../../assets/greeting.${codec.toLowerCase()}`, import.meta.url));

/** Loads the greeting that is played where no other is named; its renditions are part of the package. */
export const loadBuiltInGreeting = async (): Promise<BuiltInGreeting> => {
  const [opus, G722, PCMU, PCMA] = await Promise.all([
    readAsset('opus'),
    readAsset('G722'),
    readAsset('PCMU'),
    readAsset('PCMA'),
  ]);
  const renditions = { opus, G722, PCMU, PCMA };
  const frameCount = PCMU.length / G711_FRAME_BYTES;
  if (frameCount > 0 && CODECS.every((codec) => renditions[codec].length === renditionBytes(codec, frameCount))) {
    return { frameCount, renditions };
  }
  throw new Error('The built-in greeting in assets/ is damaged: install the package again.');
};
