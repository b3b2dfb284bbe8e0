import type { Application, Caller, NewAppKey, Settings } from './application.ts';
import type { Network, Routes } from './network.ts';
import type { Listing, Page } from './page.ts';
import type { Trunk, TrunkCredentials } from './trunk.ts';

/** Reads of applications, networks and trunks. */
export interface ConfigurationViews {
  /** Who a key speaks for, or null if it is unknown or revoked. */
  findCaller(appKey: string): Promise<Caller | null>;
  findApplication(id: string): Promise<Application | null>;
  listApplications(page: Page): Promise<Listing<Application>>;
  findSettings(): Promise<Settings>;

  findNetwork(id: string): Promise<Network | null>;
  /** With `applicationId`, only the networks associated with it. */
  listNetworks(page: Page, applicationId?: string): Promise<Listing<Network>>;
  /** False for an unknown network or application too; does the same work in every case. */
  isAssociated(networkId: string, applicationId: string | null): Promise<boolean>;
  findRoutes(networkId: string): Promise<Routes | null>;
  /** SIP URIs that some network dials without a trunk: distinct, at most `limit`. */
  listDirectUris(limit: number): Promise<readonly string[]>;

  findTrunk(id: string): Promise<Trunk | null>;
  listTrunks(page: Page): Promise<Listing<Trunk>>;
  /** Null unless the trunk has both a user name and a password. */
  findTrunkCredentials(id: string): Promise<TrunkCredentials | null>;
}

export type NewApplication = Omit<Application, 'createdAt' | 'id'> & { readonly id: string | null };

export type NewNetwork = Omit<Network, 'createdAt' | 'id'> & { readonly id: string | null };

export type NewTrunk = Omit<Trunk, 'createdAt' | 'id' | 'hasPassword'> & {
  readonly id: string | null;
  /** Plain; the store encrypts it. `null` for none; left out, the one that is there stays. */
  readonly password?: string | null;
};

/** What operators do with applications, networks and trunks. */
export interface ConfigurationVerbs {
  createApplication(application: NewApplication): Promise<string>;
  /** False if there is no such application. */
  replaceApplication(id: string, application: NewApplication): Promise<boolean>;
  deleteApplication(id: string): Promise<boolean>;
  /** Makes a key, or imports `secret`; a secret already in use anywhere throws `duplicate_id`. */
  createAppKey(applicationId: string, secret: string | null): Promise<NewAppKey>;
  revokeAppKey(applicationId: string, keyId: string): Promise<boolean>;
  replaceSettings(settings: Settings): Promise<void>;

  createNetwork(network: NewNetwork): Promise<string>;
  replaceNetwork(id: string, network: NewNetwork): Promise<boolean>;
  /** Adds those that the network does not have, in this order; `surplus` are those it has no room for. All distinct. */
  addDestinations(
    networkId: string,
    destinations: readonly string[],
  ): Promise<{ readonly added: number; readonly surplus: readonly string[] }>;
  deleteNetwork(id: string): Promise<boolean>;
  /** False if either does not exist. Idempotent. */
  associateNetwork(networkId: string, applicationId: string): Promise<boolean>;
  dissociateNetwork(networkId: string, applicationId: string): Promise<boolean>;

  createTrunk(trunk: NewTrunk): Promise<string>;
  replaceTrunk(id: string, trunk: NewTrunk): Promise<boolean>;
  /** Throws `in_use` while a network names it. */
  deleteTrunk(id: string): Promise<boolean>;
}
