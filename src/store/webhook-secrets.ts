import type { Context } from './context.ts';

interface Sealed {
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: number | null;
}

const contextOf = (webhookId: string): string => `webhook ${webhookId} secret`;

export const sealSecret = ({ vault }: Context, webhookId: string, secret: string): string =>
  vault.seal(secret, contextOf(webhookId));

/** Secrets that sign now, the newest first. */
export const secretsOf = ({ vault }: Context, webhookId: string, row: Sealed, now: number): readonly string[] => {
  const old = (row.previous_until ?? 0) > now ? [row.previous_secret].filter((secret) => secret !== null) : [];
  return [row.secret, ...old].map((sealed) => vault.unseal(sealed, contextOf(webhookId)));
};
