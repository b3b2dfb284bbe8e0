import { DEFAULT_PROCESSING, type Media, type Processing } from '../domain/media.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { checkApplicationIds, checkedMediaId, checkedName, notFound } from './fields.ts';

/** A media as the operator writes it. */
export interface MediaInput {
  readonly id?: string | null;
  readonly name?: string | null;
  readonly applicationIds?: readonly string[] | null;
  /** What is left out is as in `DEFAULT_PROCESSING`. */
  readonly processing?: Partial<Processing> | null;
}

export interface ProvisionMedia {
  /** Throws `invalid_field` and `duplicate_id`. */
  create(input: MediaInput): Promise<Media>;
  /** Throws `not_found`, and `in_use` while it is a default greeting. */
  remove(id: string): Promise<void>;
  /** Throws `not_found` if either does not exist. Both may be repeated. */
  associate(id: string, applicationId: string): Promise<Media>;
  dissociate(id: string, applicationId: string): Promise<void>;
}

export const createProvisionMedia = (store: Store): ProvisionMedia => ({
  create: (input) => store.transact((tx) => create(tx, input)),
  remove: (id) =>
    store.transact(async (tx) => {
      if (!(await tx.deleteMedia(id))) throw notFound('media');
    }),
  associate: (id, applicationId) =>
    store.transact(async (tx) => {
      if (!(await tx.associateMedia(id, applicationId))) throw notFound('media or application');
      return existing(tx, id);
    }),
  dissociate: (id, applicationId) =>
    store.transact(async (tx) => {
      if (!(await tx.dissociateMedia(id, applicationId))) throw notFound('media or application');
    }),
});

const create = async (tx: Transaction, input: MediaInput): Promise<Media> => {
  const id = checkedMediaId(input.id);
  const name = checkedName('name', input.name ?? '');
  const applicationIds = input.applicationIds ?? [];
  await checkApplicationIds(tx, applicationIds);
  const processing = { ...DEFAULT_PROCESSING, ...input.processing };
  return existing(tx, await tx.createMedia({ id, name, applicationIds, processing }));
};

const existing = async (tx: Transaction, id: string): Promise<Media> => {
  const media = await tx.findMedia(id);
  if (!media) throw notFound('media');
  return media;
};
