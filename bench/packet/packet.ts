import type { PlayTarget } from '../../src/media/messages.ts';
import type { Bench, BenchOptions, BenchReport } from '../bench.ts';
import { openSocket } from '../playout/libc.ts';
import { SEALING } from '../support/sealing.ts';
import { floorRounds } from './floor-rounds.ts';
import { ringcastRounds } from './ringcast-rounds.ts';
import type { Rounds } from './rounds.ts';

const CALLS = 2000;
/** Sockets of the peers, whose buffers are soon full: a packet is delivered and dropped. */
const PEERS = 16;
const TURNS = 40;
/** Until everything is compiled. */
const WARM_UP_TURNS = 10;
const PACKETS_PER_TURN = 4000;
const QUIET_SHARE = 0.5;

/** CPU of this thread for a packet, in nanoseconds. */
const cpuPerPacketNs = (rounds: Rounds): number => {
  const before = process.threadCpuUsage();
  let packets = 0;
  while (packets < PACKETS_PER_TURN) packets += rounds();
  const { user, system } = process.threadCpuUsage(before);
  return (1000 * (user + system)) / packets;
};

/**
 * The mean of the cheaper half of the turns: others on the machine only make a packet dearer. A mean, for the kernel counts
 * CPU in whole ticks.
 */
const quietNs = (turnsNs: readonly number[]): number => {
  const quiet = turnsNs.toSorted((a, b) => a - b).slice(0, Math.ceil(turnsNs.length * QUIET_SHARE));
  return quiet.reduce((sum, ns) => sum + ns, 0) / quiet.length;
};

const makePlayers = (calls: number): ReadonlyMap<string, Rounds> => {
  const ports = Array.from({ length: PEERS }, () => openSocket().port);
  const targetOf =
    (sealing: PlayTarget['sealing']) =>
    (call: number): PlayTarget => ({
      address: '127.0.0.1',
      port: ports[call % PEERS] ?? 0,
      payloadType: 0,
      codec: 'PCMU',
      packetTimeMs: 20,
      sealing,
      opening: null,
      eventPayloadTypes: [101],
      comedia: false,
      rtcp: null,
    });
  return new Map([
    ['floor: sendto', floorRounds(calls, ports, false)],
    ['floor: send, connected', floorRounds(calls, ports, true)],
    ['ringcast', ringcastRounds(calls, targetOf(null))],
    ['ringcast, a system call each', ringcastRounds(calls, targetOf(null), { kind: 'sendmsg' })],
    ['ringcast, calls in any order', ringcastRounds(calls, targetOf(null), { isInOrder: false })],
    ['ringcast, SRTP', ringcastRounds(calls, targetOf(SEALING))],
  ]);
};

const run = async ({ calls }: BenchOptions): Promise<BenchReport> => {
  const players = [...makePlayers(Number(calls ?? CALLS))].map(([name, rounds]) => ({
    name,
    rounds,
    turnsNs: [] as number[],
  }));
  for (let turn = 0; turn < WARM_UP_TURNS + TURNS; turn += 1) {
    for (const { rounds, turnsNs } of players) {
      const ns = cpuPerPacketNs(rounds);
      if (turn >= WARM_UP_TURNS) turnsNs.push(ns);
    }
  }
  const floorNs = quietNs(players[0]?.turnsNs ?? []);
  return {
    rows: players.map(({ name, turnsNs }) => ({
      player: name,
      'CPU ns/packet': Math.round(quietNs(turnsNs)),
      'of floor': Number((quietNs(turnsNs) / floorNs).toFixed(2)),
    })),
    notes: [
      'Flat out, by a clock that does not wait; players take turns of 4,000 packets, so that a busy machine strikes all alike.',
      'Sleep and waking, some ten microseconds a millisecond, are not in it: see bench playout.',
    ],
  };
};

export const packetBench: Bench = {
  summary: 'CPU of the media thread for a packet, without its sleep; beside bare sendto',
  options: ['calls'],
  run,
};
