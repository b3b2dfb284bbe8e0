import { CODEC_FRAMES } from '../../src/domain/codec.ts';

const POLYNOMIAL = 0x04c11db7;
const FIRST_PAGE = 2;
const LAST_PAGE = 4;
const FRAME_SAMPLES = 960;

/** The checksum of a page (RFC 3533 6): CRC-32, the highest bit first, from zero. */
const crcOf = (octets: Uint8Array): number => {
  let crc = 0;
  for (const octet of octets) {
    crc ^= octet << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  }
  return crc >>> 0;
};

/** A page that holds one packet of less than 255 octets. */
const pageOf = (packet: Uint8Array, number: number, flags: number, endsAtSample: number): Buffer => {
  const head = Buffer.alloc(28);
  head.write('OggS');
  head[5] = flags;
  head.writeBigUInt64LE(BigInt(endsAtSample), 6);
  head.writeUInt32LE(number, 18);
  head[26] = 1;
  head[27] = packet.length;
  const page = Buffer.concat([head, packet]);
  page.writeUInt32LE(crcOf(page), 22);
  return page;
};

/** An Ogg file of a rendition in Opus (RFC 7845), for programs that read no bare packets. Nothing is skipped in it. */
export const oggOfOpus = (rendition: Uint8Array): Buffer => {
  const { frameBytes } = CODEC_FRAMES.opus;
  const frames = rendition.length / frameBytes;
  const head = Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1');
  const tags = Buffer.from('OpusTags\0\0\0\0\0\0\0\0', 'latin1');
  const sound = Array.from({ length: frames }, (_, i) => {
    const packet = rendition.subarray(i * frameBytes, (i + 1) * frameBytes);
    return pageOf(packet, i + 2, i === frames - 1 ? LAST_PAGE : 0, (i + 1) * FRAME_SAMPLES);
  });
  return Buffer.concat([pageOf(head, 0, FIRST_PAGE, 0), pageOf(tags, 1, 0, 0), ...sound]);
};
