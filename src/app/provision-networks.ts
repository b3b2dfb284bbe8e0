import { type Destination, parseDestination } from '../domain/destination.ts';
import { MAX_DESTINATIONS, type Network } from '../domain/network.ts';
import type { RouteHealth } from '../domain/ports.ts';
import type { NewNetwork, Store, Transaction } from '../domain/store-port.ts';
import { allowsNumber, type Trunk } from '../domain/trunk.ts';
import {
  checkApplicationIds,
  checkedCallerId,
  checkedDistinct,
  checkedId,
  checkedName,
  invalidField,
  notFound,
  refuseOtherId,
} from './fields.ts';
import { needsOtherTransport } from './judge-destination.ts';

/** A network as the operator writes it. */
export interface NetworkInput {
  readonly id?: string | null;
  readonly name?: string | null;
  readonly destinations: readonly string[];
  readonly trunkIds?: readonly string[] | null;
  readonly callerId?: string | null;
  readonly applicationIds?: readonly string[] | null;
}

export interface ProvisionNetworks {
  /** Throws `invalid_field` and `duplicate_id`. */
  create(input: NetworkInput): Promise<Network>;
  /** Throws `not_found` too. Lists that are left out become empty. */
  replace(id: string, input: NetworkInput): Promise<Network>;
  remove(id: string): Promise<void>;
  /** Throws `not_found` if either does not exist. Both may be repeated. */
  associate(id: string, applicationId: string): Promise<Network>;
  dissociate(id: string, applicationId: string): Promise<void>;
}

const MAX_TRUNKS = 100;

export const createProvisionNetworks = (store: Store, routeHealth: Pick<RouteHealth, 'refresh'>): ProvisionNetworks => {
  /** New direct destinations are probed at once. */
  const write = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const written = await store.transact(work);
    routeHealth.refresh();
    return written;
  };
  return {
    async create(input) {
      const network = checked(input, checkedId(input.id));
      return write(async (tx) => {
        await checkReferences(tx, network);
        return existing(tx, await tx.createNetwork(network));
      });
    },
    async replace(id, input) {
      refuseOtherId(input.id, id);
      const network = checked(input, id);
      return write(async (tx) => {
        await existing(tx, id);
        await checkReferences(tx, network);
        await tx.replaceNetwork(id, network);
        return existing(tx, id);
      });
    },
    remove: (id) =>
      write(async (tx) => {
        if (!(await tx.deleteNetwork(id))) throw notFound('network');
      }),
    associate: (id, applicationId) =>
      store.transact(async (tx) => {
        if (!(await tx.associateNetwork(id, applicationId))) throw notFound('network or application');
        return existing(tx, id);
      }),
    dissociate: (id, applicationId) =>
      store.transact(async (tx) => {
        if (!(await tx.dissociateNetwork(id, applicationId))) throw notFound('network or application');
      }),
  };
};

const existing = async (tx: Transaction, id: string): Promise<Network> => {
  const network = await tx.findNetwork(id);
  if (!network) throw notFound('network');
  return network;
};

/** Everything that can be judged without the store. */
const checked = (input: NetworkInput, id: string | null): NewNetwork => {
  const trunkIds = checkedDistinct('trunkIds', input.trunkIds ?? []);
  if (trunkIds.length > MAX_TRUNKS) throw invalidField('trunkIds', `trunkIds may hold at most ${MAX_TRUNKS} ids.`);
  return {
    id,
    name: checkedName('name', input.name ?? ''),
    destinations: checkedDestinations(input.destinations, trunkIds.length > 0),
    trunkIds,
    callerId: checkedCallerId(input.callerId),
    applicationIds: input.applicationIds ?? [],
  };
};

const checkedDestinations = (destinations: readonly string[], hasTrunks: boolean): readonly string[] => {
  if (destinations.length > MAX_DESTINATIONS) {
    throw invalidField('destinations', `destinations may hold at most ${MAX_DESTINATIONS} numbers or SIP URIs.`);
  }
  for (const text of destinations) {
    const destination = checkedDestination(text);
    if (destination.kind === 'number' && !hasTrunks) {
      throw invalidField(
        'trunkIds',
        `trunkIds must name a trunk, since a number is dialled over one: ${JSON.stringify(text)}.`,
      );
    }
  }
  return destinations;
};

const checkedDestination = (text: string): Destination => {
  const destination = parseDestination(text);
  if (!destination) {
    throw invalidField(
      'destinations',
      `destinations holds neither an E.164 number nor a SIP URI: ${JSON.stringify(text.slice(0, 80))}.`,
    );
  }
  if (destination.kind === 'sip' && needsOtherTransport(destination.uri)) {
    throw invalidField(
      'destinations',
      `destinations asks for a transport that is none of udp, tcp and tls, or udp for sips: ${JSON.stringify(text)}.`,
    );
  }
  return destination;
};

const checkReferences = async (tx: Transaction, network: NewNetwork): Promise<void> => {
  const trunks: Trunk[] = [];
  for (const id of network.trunkIds) {
    const trunk = await tx.findTrunk(id);
    if (!trunk) throw invalidField('trunkIds', `trunkIds names a trunk that does not exist: ${JSON.stringify(id)}.`);
    trunks.push(trunk);
  }
  for (const text of network.destinations) {
    if (text.startsWith('+') && !trunks.some((trunk) => allowsNumber(trunk, text))) {
      throw invalidField(
        'destinations',
        `destinations holds a number that none of its trunks allows: ${JSON.stringify(text)}.`,
      );
    }
  }
  await checkApplicationIds(tx, network.applicationIds);
};
