-- A consumer that builds another one's rows anew: what that one has done, this one must not let happen again, in its
-- rebuild and in all of its life after.
alter table idembox.consumer add column rebuild_of smallint references idembox.consumer;
