-- What a human is still to be told, one row a topic. The count survives a crash and is shared by all workers.
create table alerts (
  topic text primary key,
  -- Occurrences not yet told.
  pending integer not null default 0 check (pending >= 0),
  first_at timestamptz not null default now(),
  -- Not sent before.
  next_at timestamptz not null default now(),
  tried_at timestamptz,
  sent_at timestamptz,
  -- Sends in a row that may have arrived without our knowing.
  unconfirmed integer not null default 0,
  -- Why the last send did not arrive; NULL after one that did.
  last_error text,
  last_text text not null
);

create index alerts_pending on alerts (next_at) where pending > 0;
