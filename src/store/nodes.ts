import { AppError } from '../domain/app-error.ts';
import type { InterruptedDialog, LeftDialog, TakenOverNode, Transaction, Views } from '../domain/store-port.ts';
import { openAttempts } from './attempts.ts';
import type { Context } from './context.ts';

/** Nodes that are looked at at once; the rest when these have gone. */
const MAX_LISTED = 1000;

export const nodeViews = ({ db, nodeId }: Context): Pick<Views, 'listNodes' | 'listPacesElsewhere'> => ({
  async listNodes() {
    return db
      .selectFrom('nodes')
      .select(['id as nodeId', 'beats'])
      .where('taken_over_at', 'is', null)
      .orderBy('id')
      .limit(MAX_LISTED)
      .execute();
  },
  async listPacesElsewhere() {
    const rows = await db
      .selectFrom('nodes')
      .select('calls_per_minute_overloaded as callsPerMinute')
      .where('taken_over_at', 'is', null)
      .where('id', '!=', nodeId())
      .limit(MAX_LISTED)
      .execute();
    return rows.map(({ callsPerMinute }) => callsPerMinute);
  },
});

export const nodeVerbs = (
  context: Context,
): Pick<Transaction, 'addNode' | 'beat' | 'takeOverNode' | 'forgetDialog'> => ({
  async addNode(nodeId) {
    const now = await context.nowMs();
    await context.db.insertInto('nodes').values({ id: nodeId, beats: 0, joined_at: now, renewed_at: now }).execute();
  },
  async beat(nodeId, callsPerMinuteOverloaded) {
    const { numUpdatedRows } = await context.db
      .updateTable('nodes')
      .set((eb) => ({ beats: eb('beats', '+', 1) }))
      .set({ renewed_at: await context.nowMs(), calls_per_minute_overloaded: callsPerMinuteOverloaded })
      .where('id', '=', nodeId)
      .where('taken_over_at', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },
  takeOverNode: (node, takerId) => takeOverNode(context, node, takerId),
  async forgetDialog(attemptId) {
    await context.db.updateTable('attempts').set({ dialog: null }).where('id', '=', attemptId).execute();
  },
});

/**
 * Throws `store_unavailable` if the node that claims was taken over. It cannot be before the commit: who takes over
 * waits for it, and then finds what was claimed.
 */
export const requireStanding = async ({ db, nodeId, locks }: Context): Promise<void> => {
  const standing = db.selectFrom('nodes').select('id').where('id', '=', nodeId()).where('taken_over_at', 'is', null);
  if (await locks.keep(standing, 'nodes').executeTakeFirst()) return;
  throw new AppError('store_unavailable', 'This node was silent too long and another took it over. Try again later.');
};

const takeOverNode: (
  context: Context,
  ...of: Parameters<Transaction['takeOverNode']>
) => Promise<TakenOverNode | null> = async (context, { nodeId, beats }, takerId) => {
  const { db } = context;
  const row = db
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', nodeId)
    .where('beats', '=', beats)
    .where('taken_over_at', 'is', null);
  // Waits for claims of the node that are about to be committed.
  if (!(await context.locks.own(row, 'nodes').executeTakeFirst())) return null;
  await db
    .updateTable('nodes')
    .set({ taken_over_at: await context.nowMs(), taken_over_by: takerId })
    .where('id', '=', nodeId)
    .execute();
  const left = await inheritDialogs(context, nodeId, takerId);
  const dialogs = await interruptAttempts(context, nodeId, takerId);
  await db
    .updateTable('grants')
    .set({ state: 'open' })
    .where('node_id', '=', nodeId)
    .where('state', '=', 'claimed')
    .execute();
  await dropStagedBy(context, nodeId);
  return { nodeId, dialogs, left };
};

/** Dialogs of a node before it that it has not come to end. */
const inheritDialogs = async ({ db }: Context, nodeId: string, takerId: string): Promise<readonly LeftDialog[]> =>
  db
    .updateTable('attempts')
    .set({ node_id: takerId })
    .where('node_id', '=', nodeId)
    .where('ended_at', 'is not', null)
    .where('dialog', 'is not', null)
    .returning(['id as attemptId', 'sip_call_id as sipCallId', 'trunk_id as trunkId', 'dialog'])
    .execute();

const interruptAttempts = async (
  context: Context,
  nodeId: string,
  takerId: string,
): Promise<readonly InterruptedDialog[]> => {
  const dialogs = await openAttempts(context)
    .select(['attempts.id as attemptId', 'sip_call_id as sipCallId', 'from_tag as fromTag', 'branch'])
    .select(['trunk_id as trunkId', 'destination', 'answered_at as answeredAt', 'dialog'])
    .where('node_id', '=', nodeId)
    .orderBy('attempts.id')
    .execute();
  const outcome = 'interrupted';
  const open = context.db
    .selectFrom('attempts')
    .select('call_seq')
    .where('node_id', '=', nodeId)
    .where('ended_at', 'is', null);
  await context.db.updateTable('calls').set({ state: 'finished', outcome }).where('seq', 'in', open).execute();
  await context.db
    .updateTable('attempts')
    .set({ ended_at: await context.nowMs(), outcome, node_id: takerId })
    .where('node_id', '=', nodeId)
    .where('ended_at', 'is', null)
    .execute();
  return dialogs;
};

/** What it kept of uploads that have not become a clip. */
const dropStagedBy = async ({ db }: Context, nodeId: string): Promise<void> => {
  const staged = db.selectFrom('staged_clips').select('clip_id').where('node_id', '=', nodeId);
  await db
    .deleteFrom('clip_originals')
    .where('clip_id', 'in', staged)
    .where('clip_id', 'not in', (eb) => eb.selectFrom('clips').select('id'))
    .execute();
  await db.deleteFrom('staged_clips').where('node_id', '=', nodeId).execute();
};
