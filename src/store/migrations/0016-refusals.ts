import { type Kysely, sql } from 'kysely';

/** Packets that the kernel did not take, and ICMP refusals of the peer's machine: unknown of attempts made before. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const column of ['packets_refused', 'peer_refusals'])
    await sql.raw(`alter table attempts add column ${column} integer`).execute(db);
};
