-- The whole schema of Idembox. Every timestamp is written by the database's own clock.

-- One row: who this database is. A copy of the database that meets another Kafka cluster is noticed by it.
create table idembox.installation (
  id               uuid        primary key default gen_random_uuid(),
  kafka_cluster_id text,
  only_row         boolean     not null default true unique check (only_row),
  created_at       timestamptz not null default now()
);
insert into idembox.installation default values;

-- Effect namespaces, interned: the journal names one per row.
create table idembox.effect_namespace (
  id   smallint generated always as identity primary key,
  name text     not null unique check (name <> '')
);

create table idembox.consumer (
  id                   smallint    generated always as identity primary key,
  name                 text        not null unique check (name <> ''),
  group_id             text        not null check (group_id <> ''),
  namespace_id         smallint    not null references idembox.effect_namespace,
  resolver_fingerprint text        not null,
  registered_at        timestamptz not null default now(),
  -- Written by live members once in a while: a name whose members are all gone may hand its namespace on.
  seen_at              timestamptz not null default now()
);
create index consumer_group_id on idembox.consumer (group_id);

-- A topic made again has another Kafka id and becomes another row. The zero id stands for "the broker names none".
create table idembox.topic (
  id             smallint generated always as identity primary key,
  kafka_topic_id uuid     not null,
  name           text     not null check (name <> ''),
  unique (kafka_topic_id, name)
);

-- The inbox: insert only. Wide columns first, so that a row needs no padding; no index beside the primary key,
-- and no foreign keys: both cost more than they tell on the hottest table.
create table idembox.inbox (
  recorded_at timestamptz not null default now(),
  "offset"    bigint      not null,
  message_id  uuid        not null,
  partition   integer     not null,
  consumer_id smallint    not null,
  topic_id    smallint    not null,
  constraint inbox_pkey primary key (consumer_id, message_id)
) with (
  fillfactor = 100,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.1,
  autovacuum_freeze_min_age = 1000000
);

-- The effect journal. state: 0 PENDING, 1 STARTED, 2 DONE, 3 IN_DOUBT, 4 HELD, 5 FAILED, 6 REJECTED.
-- due_at: next attempt (PENDING, IN_DOUBT) or end of the lease (STARTED); null when nobody owes anything.
-- No foreign keys, as in the inbox: they took a quarter of the time of each insert.
create table idembox.effect (
  id              bigint      generated always as identity primary key,
  namespace_id    smallint    not null,
  state           smallint    not null check (state between 0 and 6),
  attempt         integer     not null default 0 check (attempt >= 0),
  unknown_before  boolean     not null default false,
  inherited       boolean     not null default false,
  key_hash        bytea       not null check (length(key_hash) = 32),
  effect_key      bytea       not null,
  name            text        not null,
  owner           text,
  due_at          timestamptz,
  created_at      timestamptz not null default now(),
  settled_at      timestamptz,
  retention_s     integer     not null check (retention_s > 0),
  -- Who asked first; topic, partition and offset name the record, the message id finds the row again.
  consumer_id     smallint    not null,
  topic_id        smallint    not null,
  partition       integer     not null,
  "offset"        bigint      not null,
  message_id      uuid        not null,
  request_format  smallint    not null,
  request         bytea,
  fingerprint     bytea,
  receipt_format  smallint,
  receipt         bytea,
  last_error      text,
  constraint effect_once unique (namespace_id, key_hash),
  constraint effect_owes check ((state in (0, 1, 3)) = (due_at is not null))
) with (
  fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.1
);
-- Holds unfinished rows only, so a journal full of finished effects costs it nothing. What a message left
-- unfinished is found by it too: an index on the message would cost each insert more than that look-up does.
create index effect_due on idembox.effect (namespace_id, due_at) where due_at is not null;
-- People look at these; they are few.
create index effect_for_people on idembox.effect (namespace_id, state, id) where state in (3, 4, 5, 6);

-- state: 0 OPEN, 1 HELD (until its effect is settled), 2 RETRIED, 3 DISCARDED.
create table idembox.dead_letter (
  id              bigint      generated always as identity primary key,
  consumer_id     smallint    not null references idembox.consumer,
  state           smallint    not null check (state between 0 and 3),
  message_id      uuid        not null,
  topic_id        smallint    not null references idembox.topic,
  partition       integer     not null,
  "offset"        bigint      not null,
  record_time     timestamptz,
  record_key      bytea,
  record_value    bytea,
  record_headers  bytea       not null,
  reason          text        not null,
  cause_class     text        not null,
  cause_message   text,
  error           text        not null,
  attempts        integer     not null check (attempts >= 0),
  trips           integer     not null default 1 check (trips >= 1),
  held_namespace  smallint    references idembox.effect_namespace,
  held_key_hash   bytea,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  closed_at       timestamptz,
  relayed_at      timestamptz,
  constraint dead_letter_closed check ((state in (2, 3)) = (closed_at is not null))
);
-- One open letter a message: a copy that comes later is a retry of it, never a second letter.
create unique index dead_letter_open on idembox.dead_letter (consumer_id, message_id) where state in (0, 1);
create index dead_letter_listing on idembox.dead_letter (consumer_id, state, id);
create index dead_letter_held on idembox.dead_letter (held_namespace, held_key_hash) where state = 1;

-- Failed attempts of a record that stands alone; deleted with success or with the dead letter.
create table idembox.attempt (
  consumer_id smallint    not null references idembox.consumer,
  message_id  uuid        not null,
  attempts    integer     not null check (attempts >= 1),
  next_at     timestamptz not null,
  last_error  text        not null,
  updated_at  timestamptz not null default now(),
  primary key (consumer_id, message_id)
);

-- Per partition, the sets of offsets that are done, lost to Kafka's retention, or jumped by an operator.
create table idembox.progress (
  consumer_id   smallint       not null references idembox.consumer,
  topic_id      smallint       not null references idembox.topic,
  partition     integer        not null check (partition >= 0),
  done          int8multirange not null default '{}',
  lost          int8multirange not null default '{}',
  skipped       int8multirange not null default '{}',
  -- done as it stood when the pruning round began, and when the one before began: rows outside the latter stay.
  round_done    int8multirange not null default '{}',
  prunable      int8multirange not null default '{}',
  generation    integer        not null default 0 check (generation >= 0),
  timeline      integer        not null default 0,
  leader_epoch  integer        not null default -1,
  read_until    timestamptz,
  open          uuid,
  updated_at    timestamptz    not null default now(),
  primary key (consumer_id, topic_id, partition)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500
);

-- How far each consumer's pruning has walked through the tables.
create table idembox.pruning (
  consumer_id    smallint    primary key references idembox.consumer,
  next_block     bigint      not null default 0,
  next_effect_id bigint      not null default 0,
  round          bigint      not null default 0,
  round_at       timestamptz not null default now()
);
