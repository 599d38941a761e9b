-- Until when a receiver has been there for each source, one row each. It outlives the processes, so the next one sees a gap.
create table source_watch (
  source text primary key,
  since timestamptz not null default now(),
  taken_until timestamptz not null default now(),
  -- Up to when the other side has been asked what happened; NULL until it was asked for the first time.
  reconciled_until timestamptz
);

-- Times in which deliveries of a source may have been lost, one row each. Written down when found; closed only when the other
-- side was asked what happened in them.
create table gaps (
  id bigint generated always as identity primary key,
  source text not null,
  began_at timestamptz not null,
  -- NULL while it lasts.
  ended_at timestamptz,
  reason text not null,
  found_at timestamptz not null default now(),
  closed_at timestamptz,
  -- What the reconciliation came to.
  result text,
  check (ended_at >= began_at),
  check (closed_at is null or ended_at is not null)
);

create index gaps_open on gaps (source, began_at) where closed_at is null;
-- While one lasts, another word of it is the same one.
create unique index gaps_lasting on gaps (source) where ended_at is null;

-- When a source was last heard of, and when the newest job of an entity was made.
create index events_newest on events (source, received_at);
create index jobs_made on jobs (entity, created_at) where entity is not null;
