/** The clock of SQLite, and the one that rows are written by. */
const RAW_NOW = "cast(unixepoch('subsec') * 1000 as integer)";
const STEADY_NOW = `${RAW_NOW} - (select ahead_ms from clock where id = 1)`;

const BLAST_ACCEPTED = `create trigger blast_accepted_event after insert on blasts begin
  insert into events (application_id, type, at, blast_id)
    values (new.application_id, 'blast.accepted', new.accepted_at, new.id);
  insert into events (application_id, type, at, blast_id, detail)
    select new.application_id, 'blast.finished', new.accepted_at, new.id, new.state where new.unfinished_calls = 0;
end`;

const BLAST_FINISHED = (
  now: string,
): string => `create trigger blast_finished_event after update of unfinished_calls on blasts
when old.unfinished_calls > 0 and new.unfinished_calls = 0 begin
  insert into events (application_id, type, at, blast_id, detail)
    values (new.application_id, 'blast.finished', ${now}, new.id, new.state);
end`;

/** Before the update: after it the trigger that finishes the blast may run first, and its event comes last. */
const CALL = (now: string): string => `create trigger call_event before update of state on calls
when old.state <> new.state and new.state in ('ringing', 'playing', 'finished') begin
  insert into events (application_id, type, at, blast_id, call_id, outcome)
    select application_id, case new.state when 'ringing' then 'call.ringing' when 'playing' then 'call.answered'
      else 'call.finished' end, ${now}, id, new.id, case new.state when 'finished' then new.outcome end
    from blasts where id = new.blast_id;
end`;

const MEDIA_READY = (now: string): string => `create trigger media_ready_event after update of clip_id on media
when new.clip_id is not null and new.clip_id is not old.clip_id begin
  insert into events (application_id, type, at, media_id)
    select application_id, 'media.ready', ${now}, new.id from media_applications where media_id = new.id;
end`;

const GRANT_SPENT = (now: string): string => `create trigger grant_spent_event after update of state on grants
when old.state <> 'spent' and new.state = 'spent' begin
  insert into events (application_id, type, at, media_id)
    values (new.application_id, 'grant.spent', ${now}, new.media_id);
end`;

const NAMES = ['blast_accepted', 'blast_finished', 'call', 'media_ready', 'grant_spent'];

const eventTriggers = (now: string): readonly string[] => [
  BLAST_ACCEPTED,
  BLAST_FINISHED(now),
  CALL(now),
  MEDIA_READY(now),
  GRANT_SPENT(now),
];

export const SQLITE_EVENT_TRIGGERS = eventTriggers(RAW_NOW);

/** In the place of those. */
export const SQLITE_STEADY_EVENT_TRIGGERS: readonly string[] = [
  ...NAMES.map((name) => `drop trigger ${name}_event`),
  ...eventTriggers(STEADY_NOW),
];
