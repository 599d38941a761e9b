-- What has been removed, and when: an operator must be able to tell a body that is gone from one that never was.
alter table events add column body_removed_at timestamptz;
-- A job with a key outlives its payload, so that its key stays taken. Without a payload it can never run again, and this
-- check says so to whoever would retry it. Not valid: no row has such a time yet, so there is nothing to read under a lock.
alter table jobs add column payload_removed_at timestamptz,
  add constraint jobs_payload_removed check (payload_removed_at is null or finished_at is not null) not valid;

-- Each index holds only what retention still has to take away, oldest first: what stays longer is not walked over again.
create index jobs_finished on jobs (status, finished_at) where finished_at is not null and payload_removed_at is null;
create index jobs_emptied on jobs (finished_at) where payload_removed_at is not null;
create index events_with_body on events (received_at) where body is not null;
create index events_emptied on events (received_at) where body is null;
-- For the operator: what waits for a replay.
create index events_unrouted on events (received_at) where error is not null;

-- One row: which worker cleans up, and when somebody last came to the end of it.
create table retention (
  only_row boolean primary key default true check (only_row),
  held_by text,
  held_until timestamptz not null default now(),
  completed_at timestamptz not null default now()
);
insert into retention default values;
