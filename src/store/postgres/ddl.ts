import type { Ddl } from '../migrate.ts';
import { POSTGRES_EVENT_TRIGGERS, POSTGRES_STEADY_EVENT_TRIGGERS } from './event-triggers.ts';

/**
 * Counts follow once for each statement, not for each row: a network may have 100,000 destinations. The count of
 * undialled calls lies in 16 rows, one of which each connection writes, so that blasts do not wait for one another's
 * commit; it is their sum.
 */
const COUNT_UNDIALLED = `create function count_undialled(change bigint) returns void language sql as $$
  insert into counters (name, shard, value) values ('undialled_calls', pg_backend_pid() % 16, change)
  on conflict (name, shard) do update set value = counters.value + excluded.value
$$`;

/** A call counts as undialled from its acceptance until its first attempt, or its end without one. */
const CALLS_ACCEPTED = `create function calls_accepted() returns trigger language plpgsql as $$ begin
  perform count_undialled((select count(*) from accepted));
  return null;
end $$`;

/** A blast finishes with the last of its calls; a cancelled one stays cancelled. */
const CALLS_CHANGED = `create function calls_changed() returns trigger language plpgsql as $$
declare
  dialled bigint;
begin
  select count(*) into dialled from before join after using (seq)
    where before.state = 'waiting' and after.state <> 'waiting' and before.attempt_count = 0;
  if dialled > 0 then
    perform count_undialled(-dialled);
  end if;
  update blasts set unfinished_calls = unfinished_calls - finished.calls,
    state = case when unfinished_calls = finished.calls and state = 'active' then 'finished' else state end
  from (select after.blast_id, count(*) as calls from before join after using (seq)
    where before.state <> 'finished' and after.state = 'finished' group by after.blast_id) as finished
  where blasts.id = finished.blast_id;
  return null;
end $$`;

export const POSTGRES_DDL: Ddl = {
  sequence: 'bigint generated always as identity primary key',
  octets: 'bytea',
  counterColumns: `name text not null, shard integer not null default 0, value bigint not null,
    primary key (name, shard)`,
  callTriggers: [
    COUNT_UNDIALLED,
    CALLS_ACCEPTED,
    CALLS_CHANGED,
    `create trigger calls_accepted after insert on calls referencing new table as accepted
      for each statement execute function calls_accepted()`,
    `create trigger calls_changed after update on calls referencing old table as before new table as after
      for each statement execute function calls_changed()`,
  ],
  eventTriggers: POSTGRES_EVENT_TRIGGERS,
  steadyEventTriggers: POSTGRES_STEADY_EVENT_TRIGGERS,
};
