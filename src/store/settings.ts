import type { Transaction, Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { prepared } from './prepared.ts';
import { requireRows } from './rows.ts';

export const settingsViews = ({ db }: Context): Pick<Views, 'findSettings'> => {
  const settings = prepared(db, () => db.selectFrom('settings').select('default_greeting_id').compile());
  return {
    async findSettings() {
      const [row] = (await settings({})).rows;
      return { defaultGreetingId: row?.default_greeting_id ?? null };
    },
  };
};

export const settingsVerbs = (context: Context): Pick<Transaction, 'replaceSettings'> => ({
  async replaceSettings({ defaultGreetingId }) {
    const named = defaultGreetingId === null ? [] : [defaultGreetingId];
    await requireRows(context, 'media', named, 'defaultGreetingId');
    await context.db.updateTable('settings').set({ default_greeting_id: defaultGreetingId }).execute();
  },
});
