import { readFile } from 'node:fs/promises';
import type { TlsMaterial } from '../telephony/sip-transport.ts';
import { openPhone, type PhoneEvent, type PhoneOptions } from './phone.ts';

const round = (ms: number): string => `${Math.round(ms)} ms`;

const endWords = (event: Extract<PhoneEvent, { type: 'ended' }>): string => {
  const { how, sipStatus, reception } = event;
  if (reception === null) return `ended: ${how}, status ${sipStatus}`;
  const { packets, lost, duplicates, outOfOrder, jitterMs } = reception;
  const flaws = `${lost} lost, ${duplicates} twice, ${outOfOrder} out of order, jitter ${round(jitterMs)}`;
  return `ended: ${how}; ${packets} packets, ${flaws}`;
};

/** One event as a line for people. */
export const describeEvent = (event: PhoneEvent): string => {
  if (event.type === 'invite') return `call from ${event.from}`;
  if (event.type === 'answered') return `answered (${event.codec})`;
  if (event.type === 'ended') return endWords(event);
  if (event.type === 'recorded') return `recorded ${event.path} (${round(event.samples / 8)})`;
  return `not recorded: ${event.reason}`;
};

const say = (words: string, data: object): void => {
  process.stdout.write(`${process.stdout.isTTY ? words : JSON.stringify(data)}\n`);
};

const untilSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

interface CommandOptions extends Omit<PhoneOptions, 'onEvent' | 'codecs' | 'tls'> {
  /** PEM files for TLS. */
  readonly certificate: { readonly certificatePath: string; readonly keyPath: string } | null;
}

const readMaterial = async (files: NonNullable<CommandOptions['certificate']>): Promise<TlsMaterial> => {
  const [certificate, key] = await Promise.all([
    readFile(files.certificatePath, 'utf8'),
    readFile(files.keyPath, 'utf8'),
  ]);
  return { own: { certificate, key }, authorities: null };
};

/**
 * `ringcast phone`: runs a test phone until SIGINT or SIGTERM. Writes a line when it is ready and one for each event
 * to standard output, JSON if that is no terminal. Rejects with a sentence for people if it cannot start.
 */
export const runPhone = async ({ certificate, ...options }: CommandOptions): Promise<void> => {
  const stopped = untilSignal();
  const tls = certificate ? { tls: await readMaterial(certificate) } : {};
  const phone = await openPhone({ ...options, ...tls, onEvent: (event) => say(describeEvent(event), event) });
  say(`The test phone is ready: ${phone.uri}`, { ready: true, sip: phone.uri });
  await stopped;
  await phone.close();
};
