-- What is known of an outside service, or of a part of it such as one chat, one row each, shared by all workers.
create table lanes (
  name text primary key,
  -- Since when it has not been known to work; NULL while it does. All that follows speaks of this episode.
  since timestamptz,
  -- Nobody is to use it before; infinity until a person resumes it. Once it is over, one job probes.
  paused_until timestamptz,
  reason text,
  -- Pauses in a row: without a time that the service asked for, each is twice as long as the one before.
  pauses integer not null default 0,
  -- The job that probed last, so that the next one is another, and until when nobody else is to probe.
  probe bigint,
  probe_until timestamptz,
  -- Calls a second at most, of all processes together, and when the next one may be made.
  rate float8,
  next_at timestamptz not null default now(),
  check ((paused_until is null) = (since is null))
);

-- Each claim looks at what is failing; chats come by the thousand.
create index lanes_failing on lanes (name) where since is not null;
-- And each ending whether it is that of a probe.
create index lanes_probing on lanes (probe) where probe_until is not null;

-- Pauses in a row that the job itself has caused, and since when lanes have held it without its running to an end.
alter table jobs add column pauses integer not null default 0, add column held_since timestamptz;
