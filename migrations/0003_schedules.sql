-- The memory of slots: no retention of jobs brings a slot back.
create table schedules (
  name text primary key,
  last_slot text not null,
  first_seen_at timestamptz not null default now()
);
