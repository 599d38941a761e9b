-- The last number that was given out, one row for each series: `2026-#` for the year's contracts 2026-0001, 2026-0002, ...
-- It only grows. A number may stay unused: when two processes reserve for one deal at once, or when a contract is given up.
create table contract_series (
  name text primary key,
  last bigint not null check (last > 0)
);

-- Contracts, one row for each deal and version: reserved before it is printed, since its number stands in the file. Rows are
-- kept for good.
create table contract_documents (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  lead_id bigint not null,
  -- Of the template, and of the terms where each change of them makes a contract of its own.
  template_ver text not null,
  doc_number text not null unique,
  -- The date in the contract. Stored: a contract that is printed again after midnight has to stay the same.
  doc_date date not null,
  -- The name in the storage.
  file_path text not null unique,
  -- SHA-256 of the file in hex; null until it is stored.
  content_hash text check (content_hash ~ '^[0-9a-f]{64}$'),
  -- The note at the deal that names the contract.
  crm_note_ref text,
  created_at timestamptz not null default now(),
  unique (account_id, lead_id, template_ver),
  -- A note speaks of a file that is there.
  check (crm_note_ref is null or content_hash is not null)
);

create index contract_documents_lead on contract_documents (lead_id);
