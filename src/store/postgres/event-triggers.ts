/** The clock of PostgreSQL, and the one that rows are written by. */
const RAW_NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)';
const STEADY_NOW = `${RAW_NOW} - (select ahead_ms from clock where id = 1)`;

const BLAST_ACCEPTED = `create or replace function blast_accepted_event() returns trigger language plpgsql as $$ begin
  insert into events (application_id, type, at, blast_id)
    values (new.application_id, 'blast.accepted', new.accepted_at, new.id);
  if new.unfinished_calls = 0 then
    insert into events (application_id, type, at, blast_id, detail)
      values (new.application_id, 'blast.finished', new.accepted_at, new.id, new.state);
  end if;
  return null;
end $$`;

const BLAST_FINISHED = (
  now: string,
): string => `create or replace function blast_finished_event() returns trigger language plpgsql as $$ begin
  insert into events (application_id, type, at, blast_id, detail)
    values (new.application_id, 'blast.finished', ${now}, new.id, new.state);
  return null;
end $$`;

const CALL = (
  now: string,
): string => `create or replace function call_event() returns trigger language plpgsql as $$ begin
  insert into events (application_id, type, at, blast_id, call_id, outcome)
    select blasts.application_id, case after.state when 'ringing' then 'call.ringing' when 'playing' then 'call.answered'
      else 'call.finished' end, ${now}, blasts.id, after.id, case after.state when 'finished' then after.outcome end
    from before join after on after.seq = before.seq join blasts on blasts.id = after.blast_id
    where before.state <> after.state and after.state in ('ringing', 'playing', 'finished') order by after.seq;
  return null;
end $$`;

const MEDIA_READY = (
  now: string,
): string => `create or replace function media_ready_event() returns trigger language plpgsql as $$ begin
  insert into events (application_id, type, at, media_id)
    select application_id, 'media.ready', ${now}, new.id from media_applications where media_id = new.id;
  return null;
end $$`;

const GRANT_SPENT = (
  now: string,
): string => `create or replace function grant_spent_event() returns trigger language plpgsql as $$ begin
  insert into events (application_id, type, at, media_id)
    values (new.application_id, 'grant.spent', ${now}, new.media_id);
  return null;
end $$`;

const functions = (now: string): readonly string[] => [
  BLAST_FINISHED(now),
  CALL(now),
  MEDIA_READY(now),
  GRANT_SPENT(now),
];

/** In the place of those that `POSTGRES_EVENT_TRIGGERS` makes. */
export const POSTGRES_STEADY_EVENT_TRIGGERS = functions(STEADY_NOW);

/** Triggers run in the order of their names: that of calls comes before the one that finishes their blast. */
export const POSTGRES_EVENT_TRIGGERS: readonly string[] = [
  BLAST_ACCEPTED,
  ...functions(RAW_NOW),
  'create trigger blast_accepted_event after insert on blasts for each row execute function blast_accepted_event()',
  `create trigger blast_finished_event after update of unfinished_calls on blasts for each row
    when (old.unfinished_calls > 0 and new.unfinished_calls = 0) execute function blast_finished_event()`,
  `create trigger call_event after update on calls referencing old table as before new table as after
    for each statement execute function call_event()`,
  `create trigger media_ready_event after update of clip_id on media for each row
    when (new.clip_id is not null and new.clip_id is distinct from old.clip_id) execute function media_ready_event()`,
  `create trigger grant_spent_event after update of state on grants for each row
    when (old.state <> 'spent' and new.state = 'spent') execute function grant_spent_event()`,
];
