-- Effects that run one after the other: those of one record key, where the subscription asks for it. queue is a hash
-- of the key; place grows with each transaction, and within it in the order in which effects were asked for. Both are
-- null for all other effects.
create sequence idembox.effect_place;
alter table idembox.effect
  add column queue bigint,
  add column place bigint,
  add constraint effect_place check ((queue is null) = (place is null));
-- What stands before an effect in its queue. Unfinished rows of queues only: nobody else pays for it.
create index effect_queue on idembox.effect (namespace_id, queue, place)
  where queue is not null and state in (0, 1, 3, 4);
