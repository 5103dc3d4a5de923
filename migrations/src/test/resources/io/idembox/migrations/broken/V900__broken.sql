alter table idembox.consumer add column later text not null default 'x';
select 1 / 0;
