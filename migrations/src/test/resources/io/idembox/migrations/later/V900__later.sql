-- What a later version might do.
alter table idembox.consumer add column later text not null default 'x';
