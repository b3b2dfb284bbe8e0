import type { Ddl } from '../migrate.ts';
import { SQLITE_EVENT_TRIGGERS, SQLITE_STEADY_EVENT_TRIGGERS } from './event-triggers.ts';

/** A call counts as undialled from its acceptance until its first attempt, or its end without one. */
const CALL_ACCEPTED = `create trigger call_accepted after insert on calls begin
  update counters set value = value + 1 where name = 'undialled_calls';
end`;

const CALL_DIALLED = `create trigger call_dialled after update of state on calls
when old.state = 'waiting' and new.state <> 'waiting' and old.attempt_count = 0 begin
  update counters set value = value - 1 where name = 'undialled_calls';
end`;

/** A blast finishes with the last of its calls; a cancelled one stays cancelled. */
const CALL_FINISHED = `create trigger call_finished after update of state on calls
when old.state <> 'finished' and new.state = 'finished' begin
  update blasts set unfinished_calls = unfinished_calls - 1,
    state = case when unfinished_calls = 1 and state = 'active' then 'finished' else state end
  where id = new.blast_id;
end`;

export const SQLITE_DDL: Ddl = {
  sequence: 'integer primary key',
  octets: 'blob',
  counterColumns: 'name text not null primary key, value bigint not null',
  callTriggers: [CALL_ACCEPTED, CALL_DIALLED, CALL_FINISHED],
  eventTriggers: SQLITE_EVENT_TRIGGERS,
  steadyEventTriggers: SQLITE_STEADY_EVENT_TRIGGERS,
};
