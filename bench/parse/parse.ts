import { parseMessage } from '../../src/sip/parse.ts';
import { serializeMessage } from '../../src/sip/serialize.ts';
import type { Bench, BenchRow } from '../bench.ts';
import { ANSWER, INVITE, RINGING } from './messages.ts';

const ROUNDS = 9;
const MESSAGES_A_ROUND = 40_000;
const AIM_PER_SECOND = 150_000;

interface Contender {
  readonly what: string;
  /** Handles one message; false if it did not do what it says. */
  handle(): boolean;
}

const parsing = (what: string, octets: Uint8Array): Contender => ({ what, handle: () => parseMessage(octets).ok });

const serializing = (what: string, octets: Uint8Array): Contender => {
  const result = parseMessage(octets);
  if (!result.ok) throw new Error(result.problem);
  const { message } = result;
  return { what, handle: () => serializeMessage(message).length > 0 };
};

/** The least that any parser of text does: the octets made a string, and the string lines. */
const floor: Contender = {
  what: 'toString().split(), the floor',
  handle: () => ANSWER.toString().split('\r\n').length > 1,
};

const CONTENDERS: readonly Contender[] = [
  floor,
  parsing('parse a 200 with SDP', ANSWER),
  parsing('parse a 180', RINGING),
  parsing('parse an INVITE with SDP', INVITE),
  serializing('write a 200 with SDP', ANSWER),
];

/** Per second of this process's CPU: other work on the machine takes turns with it and is not counted. */
const perSecond = ({ what, handle }: Contender): number => {
  const before = process.cpuUsage();
  for (let left = MESSAGES_A_ROUND; left > 0; left--) if (!handle()) throw new Error(`This failed: ${what}.`);
  const { user, system } = process.cpuUsage(before);
  return (1e6 * MESSAGES_A_ROUND) / (user + system);
};

const sorted = (figures: readonly number[]): number[] => figures.toSorted((a, b) => a - b);
const medianOf = (figures: readonly number[]): number => sorted(figures)[Math.floor(figures.length / 2)] ?? 0;

/** Rounds take turns, so that what else the machine does strikes all alike; the first only warms up. */
const measure = (): readonly number[][] => {
  const all = CONTENDERS.map((): number[] => []);
  for (const contender of CONTENDERS) perSecond(contender);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, contender] of CONTENDERS.entries()) all[index]?.push(perSecond(contender));
  return all;
};

export const parseBench: Bench = {
  summary: 'SIP messages parsed and written per second, beside the bare making of lines',
  run: async () => {
    const figures = measure();
    const floorPerSecond = medianOf(figures[0] ?? []);
    const rows = CONTENDERS.map(({ what }, index): BenchRow => {
      const own = figures[index] ?? [];
      return {
        what,
        'messages/CPU s': Math.round(medianOf(own)),
        'best round': Math.round(Math.max(...own)),
        'of floor': `${Math.round((100 * medianOf(own)) / floorPerSecond)} %`,
      };
    });
    const aim = `Aim: ${AIM_PER_SECOND} answers with SDP parsed per second of one core.`;
    return { rows, notes: [`Medians of ${ROUNDS} rounds of ${MESSAGES_A_ROUND} messages, rounds in turn.`, aim] };
  },
};
