-- The tokens of amoCRM, one row for each consent: all pairs that grew out of one code or one first refresh token.
create table amocrm_tokens (
  -- A hash of what it began with. A new consent is a new row, so that processes with old settings do not disturb it.
  consent text primary key,
  -- Which pair it is; 0 before the first. It only grows, and a new pair is saved only in the place of the one it was given for.
  pair integer not null default 0,
  access_token text,
  refresh_token text,
  -- When the access token ends; the refresh token lives for three months from paired_at.
  expires_at timestamptz,
  paired_at timestamptz,
  -- Who refreshes, and until when nobody else does.
  lease uuid,
  leased_until timestamptz,
  check ((pair = 0) = (access_token is null)),
  check ((pair = 0) = (refresh_token is null)),
  check ((pair = 0) = (expires_at is null)),
  check ((pair = 0) = (paired_at is null)),
  check ((lease is null) = (leased_until is null))
);
