-- What is owed, looked at by people, or waited for in a queue is found by its own small index, whatever the server
-- knows about the table. Asked for "namespace and due", a server that made its plan while the journal was empty found
-- the unique key (namespace, hash) just as good, and read each effect of the namespace, for each batch, until it had
-- statistics. The number as an int4 is in these indexes only, and the journal's statements ask for it.
-- Members of version 5 go on with this schema, but slowly.
drop index idembox.effect_sweep;
drop index idembox.effect_for_people;
drop index idembox.effect_queue;
create index effect_to_sweep on idembox.effect ((namespace_id::int4), sweep_at) where sweep_at is not null;
create index effect_for_people on idembox.effect ((namespace_id::int4), listed, id) where listed is not null;
create index effect_queue on idembox.effect ((namespace_id::int4), waiting, place) where waiting is not null;
