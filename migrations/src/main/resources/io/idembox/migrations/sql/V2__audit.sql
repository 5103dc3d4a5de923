-- Who changed what by hand, by a command or by the API. Written before the change, so that none goes unrecorded;
-- the outcome follows.
create table idembox.audit (
  id       bigint      generated always as identity primary key,
  at       timestamptz not null default now(),
  who      text        not null,
  via      text        not null check (via in ('command', 'api')),
  consumer text        not null,
  action   text        not null,
  target   text        not null,
  outcome  text        not null default 'begun'
);
create index audit_at on idembox.audit (at);
