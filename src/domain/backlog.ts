import type { Queue } from './claim-round.ts';

/** What waits in the way of the last call of a blast. */
export interface Backlog {
  /** Calls of its own queue that are dialled before it. */
  readonly ahead: number;
  /** The part of all turns that its queue gets, above 0 and at most 1. */
  readonly share: number;
}

type QueueInTurn = Pick<Queue, 'applicationId' | 'route' | 'priority'>;

/** The part of all turns that `own` gets beside the queues in which calls stand: routes evenly, then by priority. */
export const shareOf = (own: QueueInTurn, standing: readonly QueueInTurn[]): number => {
  const others = standing.filter(
    ({ applicationId, route }) => applicationId !== own.applicationId || route !== own.route,
  );
  const routes = new Set([own, ...others].map(({ route }) => route));
  const peers = others.filter(({ route }) => route === own.route);
  const weight = peers.reduce((sum, { priority }) => sum + priority, own.priority);
  return own.priority / weight / routes.size;
};

/**
 * Calls that are dialled until the last one of a blast of `calls` is, itself included: what its queue needs turns for, and
 * what others are served meanwhile, which is no more than `waiting`, all that wait.
 */
export const dialledUntilLast = (calls: number, waiting: number, { ahead, share }: Backlog): number =>
  Math.min(waiting + calls, Math.ceil((ahead + calls) / share));
