import { findFormatChunk } from './chunks.ts';
import type { Container } from './container.ts';
import type { Octets } from './octets.ts';
import { findSamples } from './promised-length.ts';
import { readSoundHeader, type SoundHeader } from './sound-header.ts';

const LOWEST_HZ = 1000;
const HIGHEST_HZ = 384_000;
const MOST_CHANNELS = 64;
const LEAST_AU_HEADER_BYTES = 24;

const rateFault = ({ rateHz }: SoundHeader): string | null =>
  rateHz === null || (rateHz >= LOWEST_HZ && rateHz <= HIGHEST_HZ)
    ? null
    : `has ${rateHz} samples a second, which is not between ${LOWEST_HZ} and ${HIGHEST_HZ}`;

const channelFault = ({ channels }: SoundHeader): string | null =>
  channels === null || (channels >= 1 && channels <= MOST_CHANNELS)
    ? null
    : `has ${channels} channels, which is not between 1 and ${MOST_CHANNELS}`;

/** What is packed otherwise than its header says, such as 24 bits in four octets, would be decoded to noise. */
const widthFault = ({ frameBytes, statedFrameBytes }: SoundHeader): string | null => {
  if (frameBytes === 0) return 'has samples of 0 bits';
  if (statedFrameBytes === null || statedFrameBytes === frameBytes) return null;
  return `has samples in blocks of ${statedFrameBytes} octets, where its bits and channels need ${frameBytes}`;
};

/** Samples in the header itself, or where their format is not known yet: no program writes such files. */
const findPlaceFault = async (file: Octets, container: Container): Promise<string | null> => {
  const samples = await findSamples(file, container);
  if (samples === null) return null;
  if (container.demuxer === 'au') {
    return samples.start < LEAST_AU_HEADER_BYTES ? `has a header of ${samples.start} octets` : null;
  }
  if (container.demuxer !== 'wav') return null; // AIFF leaves the order open
  const format = await findFormatChunk(file, 'wav');
  return format === null || format > samples.start ? 'has its samples before their format' : null;
};

/**
 * What is wrong in the header of a file, as a sentence without its full stop; null if nothing is, as far as it is
 * there. A field that no reader needs, such as the octets a second of PCM, may say anything: many writers have it wrong.
 */
export const findHeaderFault = async (file: Octets, container: Container): Promise<string | null> => {
  const header = await readSoundHeader(file, container);
  const stated = header && (rateFault(header) ?? channelFault(header) ?? widthFault(header));
  const fault = stated ?? (await findPlaceFault(file, container));
  return fault && `The file says it ${fault}`;
};
