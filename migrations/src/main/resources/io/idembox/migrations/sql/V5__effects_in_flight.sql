-- The usual effect is written once, run at once by the member that wrote it, and settled: one insert and one update.
-- That update touches no indexed column, so that it stays on its page (heap-only) and makes no index entry. What only a
-- dead member's, a postponed or a person's effect needs stands in columns that are null on the usual way, and is
-- indexed through them.
alter table idembox.effect
  -- due_at again, for effects that a sweeper has to find: all that are owed, but those in flight.
  add column sweep_at timestamptz,
  -- The state, where people look at it: in doubt, held, failed, rejected.
  add column listed smallint,
  -- The queue, while those behind it wait.
  add column waiting bigint;

-- Effects in flight: one row for what one transaction inserted, removed by the settlement of its last. Rows of the
-- journal between first_id and last_id that are this owner's and owed, and have no sweep_at; others may lie between.
-- When it is due, its owner fell silent: what is still owed of it gets its sweep_at, and the row goes.
create table idembox.effect_flight (
  first_id     bigint      primary key,
  last_id      bigint      not null,
  namespace_id smallint    not null,
  owner        text        not null,
  due_at       timestamptz not null,
  constraint effect_flight_ids check (first_id <= last_id)
) with (
  -- A row lives for milliseconds: the dead ones are swept away often, while there are few.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000
);
create index effect_flight_due on idembox.effect_flight (namespace_id, due_at);

-- What stands there already is found by the sweeper, whoever is running it now.
update idembox.effect
set sweep_at = due_at,
  listed = case when state in (3, 4, 5, 6) then state end,
  waiting = case when state in (0, 1, 3, 4) then queue end
where due_at is not null or state in (3, 4, 5, 6);

drop index idembox.effect_due;
drop index idembox.effect_for_people;
drop index idembox.effect_queue;
alter table idembox.effect
  add constraint effect_swept check (sweep_at is null or due_at is not null and sweep_at = due_at),
  add constraint effect_listed check (listed is not distinct from case when state in (3, 4, 5, 6) then state end),
  add constraint effect_waiting check (waiting is not distinct from case when state in (0, 1, 3, 4) then queue end);
create index effect_sweep on idembox.effect (namespace_id, sweep_at) where sweep_at is not null;
create index effect_for_people on idembox.effect (namespace_id, listed, id) where listed is not null;
create index effect_queue on idembox.effect (namespace_id, waiting, place) where waiting is not null;

-- Room for the settled version beside the first; the requests that it drops leave some, too.
alter table idembox.effect set (fillfactor = 60);
