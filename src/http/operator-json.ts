import type { Application } from '../domain/application.ts';
import type { Media } from '../domain/media.ts';
import type { Network } from '../domain/network.ts';
import type { RouteHealth } from '../domain/ports.ts';
import { readableKeys, type Trunk, type TrunkRegistration } from '../domain/trunk.ts';
import { isoTime } from './iso-time.ts';
import { mediaJson } from './media-json.ts';

/** How the operator reads what was provisioned; what is left out on creation is shown with its default. */
export const applicationJson = (application: Application) => ({
  id: application.id,
  name: application.name,
  defaultGreetingId: application.defaultGreetingId,
  retry: application.retry,
  priority: application.priority,
  maxConcurrentCalls: application.maxConcurrentCalls,
  callsPerSecond: application.callsPerSecond,
  dialBySeconds: application.dialBySeconds,
  ...application.silences,
  createdAt: isoTime(application.createdAt),
});

export const networkJson = (network: Network) => ({
  id: network.id,
  name: network.name,
  destinations: network.destinations,
  trunkIds: network.trunkIds,
  callerId: network.callerId,
  applicationIds: network.applicationIds,
  createdAt: isoTime(network.createdAt),
});

export type TrunkHealth = Pick<RouteHealth, 'trunkState' | 'stateReason' | 'isDegraded' | 'registration'>;

const registrationJson = (registration: TrunkRegistration | null) =>
  registration && {
    ...registration,
    expiresAt: registration.expiresAt === null ? null : isoTime(registration.expiresAt),
  };

/** A trunk without its password. */
export const trunkJson = (trunk: Trunk, routeHealth: TrunkHealth) => ({
  id: trunk.id,
  host: trunk.host,
  port: trunk.port,
  transport: trunk.transport,
  username: trunk.username,
  hasPassword: trunk.hasPassword,
  callerId: trunk.callerId,
  allowedPrefixes: trunk.allowedPrefixes,
  maxConcurrentCalls: trunk.maxConcurrentCalls,
  callsPerSecond: trunk.callsPerSecond,
  codecs: trunk.codecs,
  register: trunk.register,
  srtp: trunk.srtp,
  comedia: trunk.comedia,
  healthCheck: trunk.healthCheck,
  state: routeHealth.trunkState(trunk.id),
  stateReason: routeHealth.stateReason(trunk.id) ?? readableKeys(trunk),
  degraded: routeHealth.isDegraded(trunk.id),
  registration: registrationJson(routeHealth.registration(trunk.id)),
  createdAt: isoTime(trunk.createdAt),
});

export const operatorMediaJson = (media: Media) => {
  const { id, name, ...rest } = mediaJson(media);
  return { id, name, applicationIds: media.applicationIds, ...rest };
};
