package io.idembox.inbox;

/**
 * The journal's statements, each a transaction of its own but the first two. Who inserts or reopens
 * several effects locks them in the order of their hash; who looks for work passes over locked
 * rows; a mark is settled by its owner alone: no two of them wait for each other. What is due is
 * compared with now(), which an index can look up, unlike clock_timestamp().
 *
 * <p>An effect that is owed is found by its sweep_at, which is due_at again, or by the row of its
 * flight: what a transaction inserted is in flight until its member has settled it, and until then
 * its sweep_at is null. So the usual way of an effect, inserted, run and settled, touches no
 * indexed column, and its update stays on its page. Whoever makes an effect owed in another way
 * than by its insert sets sweep_at, in the same statement; what is found twice does no harm, what
 * is not found would be lost.
 *
 * <p>Who looks for such rows compares the namespace as an int4, as the small indexes hold it: the
 * unique key, which begins with the namespace too, then is no way to them. On a journal without
 * statistics the server took it for one, and read all effects there are.
 */
final class JournalSql {
  /**
   * The ids looked up, once more beside the arrays that are joined. It tells nothing new, but to
   * the planner, which keeps a plan that it made while the table was small and had no statistics.
   * It believes then that of one owner, or in one state, there is one row, and compares each row
   * that it reads with each id: 390 µs an effect, measured, until the table is analyzed. So owner,
   * state and attempt are compared in the join only, in forms that it does not take apart; then it
   * reads by the ids, and hashes.
   */
  private static final String BY_ID = "e.id = any(?::int8[])";

  /**
   * Whether a row is as the mark m of its holder says: started, or only reserved. Takes the owner.
   */
  private static final String MARKED =
      """
      case when e.owner is distinct from ?::text then false
        when e.state = 1 then e.attempt = m.attempt
        when e.state = 0 then e.attempt = m.attempt - 1
        else false end
      """
          .strip();

  /** Takes whether any of the effects has a queue: the others need no number. */
  private static final String TRANSACTION =
      "case when ?::boolean then nextval('idembox.effect_place') end";

  /**
   * Transactions of one record key commit one after the other, so their numbers grow with them; up
   * to a million effects each.
   */
  private static final String PLACE =
      "case when i.queue is not null then (n.transaction << 20) + i.asked end";

  /**
   * Whether nothing unfinished stands before it in its queue. Finished is what happened, was
   * refused, or was given up; what is held for a person is not. Decided here and not by whoever
   * runs effects: those before it may be another member's. A snapshot is good enough, since what is
   * finished never becomes unfinished again in its old place.
   */
  static final String AND_FIRST_OF_ITS_QUEUE =
      """
          and (e.queue is null or not exists (
            select from idembox.effect before
            where before.namespace_id::int4 = e.namespace_id::int4 and before.waiting = e.queue and before.place < e.place))
      """;

  /**
   * DO NOTHING, not DO UPDATE: the latter locks the row that it meets, which another member may be
   * settling together with rows that this transaction holds.
   *
   * <p>Together with the row of their flight. Its ends are the ids that were given out: others may
   * lie in between, since members insert at the same time.
   *
   * <p>What many intents have in common comes as a few kinds: each array more is unfolded into rows
   * by the server, and costs as much as a column of the table.
   */
  static final String INSERT =
      """
      with n as materialized (
        select id, ?::int2 as consumer_id, ?::text as owner,
          clock_timestamp() + ? * interval '1 millisecond' as due_at, %s as transaction
        from idembox.effect_namespace where name = ?
      ), added as (
        insert into idembox.effect (namespace_id, consumer_id, owner, due_at, state, attempt, retention_s, name,
          topic_id, partition, key_hash, effect_key, message_id, "offset", request_format, request, fingerprint,
          queue, waiting, place)
        select n.id, n.consumer_id, n.owner, n.due_at, k.state, k.attempt, k.retention_s, k.name,
          k.topic_id, k.partition, i.key_hash, i.effect_key, i.message_id, i."offset",
          1, i.request, i.fingerprint, k.queue, k.queue, %s
        from n,
          unnest(?::int2[], ?::bytea[], ?::bytea[], ?::uuid[], ?::int8[], ?::bytea[], ?::bytea[]) with ordinality
            as i(kind, key_hash, effect_key, message_id, "offset", request, fingerprint, asked),
          lateral (select (?::int2[])[i.kind] as state, (?::int4[])[i.kind] as attempt,
            (?::int4[])[i.kind] as retention_s, (?::text[])[i.kind] as name, (?::int2[])[i.kind] as topic_id,
            (?::int4[])[i.kind] as partition, (?::int8[])[i.kind] as queue) k
        order by i.key_hash
        on conflict (namespace_id, key_hash) do nothing
        returning key_hash, id, queue, place
      ), flight as (
        insert into idembox.effect_flight (first_id, last_id, namespace_id, owner, due_at)
        select a.first_id, a.last_id, n.id, n.owner, n.due_at
        from (select min(id) as first_id, max(id) as last_id from added) a, n
        where a.first_id is not null
      )
      select key_hash, id, queue, place from added
      """
          .formatted(TRANSACTION, PLACE.replace("i.queue", "k.queue"));

  /**
   * For intents that met a row: FAILED is opened again by a new request, and a finished row past
   * its retention counts as absent, pruned or not. The others stay; what they stand for is
   * answered. No flight: their ids are old ones, far from each other, and they are few.
   */
  static final String REOPEN =
      """
      with n as materialized (
        select id, clock_timestamp() as at, %s as transaction from idembox.effect_namespace where name = ?
      ), asked as materialized (
        select n.id as namespace_id, n.at + i.lease_ms * interval '1 millisecond' as due_at, %s as place, i.*
        from n,
          unnest(?::int2[], ?::int4[], ?::int8[], ?::int4[], ?::bytea[], ?::text[], ?::uuid[],
            ?::int2[], ?::int4[], ?::int8[], ?::bytea[], ?::bytea[], ?::int8[]) with ordinality
          as i(state, attempt, lease_ms, retention_s, key_hash, name, message_id,
            topic_id, partition, "offset", request, fingerprint, queue, asked)
      ), locked as (
        select e.id from idembox.effect e join asked a using (namespace_id, key_hash)
        where e.state = 5
          or e.state in (2, 6) and e.settled_at + e.retention_s * interval '1 second' < clock_timestamp()
        order by e.key_hash
        for update of e
      ), reopened as (
        update idembox.effect e
        set consumer_id = ?, owner = ?, state = a.state,
          attempt = a.attempt + case when e.state = 5 then e.attempt else 0 end,
          unknown_before = e.state = 5 and e.unknown_before,
          due_at = a.due_at, sweep_at = a.due_at, listed = null, retention_s = a.retention_s,
          name = a.name, message_id = a.message_id, topic_id = a.topic_id, partition = a.partition,
          "offset" = a."offset", request_format = 1, request = a.request, fingerprint = a.fingerprint,
          settled_at = null, receipt_format = null, receipt = null, last_error = null, inherited = false,
          queue = a.queue, waiting = a.queue, place = a.place
        from asked a, locked l
        where e.id = l.id and e.namespace_id = a.namespace_id and e.key_hash = a.key_hash
        returning e.key_hash, e.id, e.attempt, e.unknown_before, e.queue, e.place
      )
      select key_hash, id, attempt, unknown_before, true, null::bytea, queue, place from reopened
      union all
      select e.key_hash, e.id, e.attempt, e.unknown_before, false, e.fingerprint, null, null
      from idembox.effect e join asked a using (namespace_id, key_hash)
      where e.id not in (select id from reopened)
      """
          .formatted(TRANSACTION, PLACE);

  private static final String RETURN_ENTRY =
      """
      returning e.id, e.name, e.effect_key, e.request, e.attempt, e.unknown_before, e.state,
        e.message_id, e.topic_id, e.partition, e."offset", e.queue, e.place
      """;

  /**
   * In front of what marks and settles. A mark that a crash of the server takes back would make an
   * effect that ran look like one that nobody has begun, and then the guard alone knew better.
   */
  private static final String DURABLE =
      "with durable as materialized (select clock_timestamp() as at, "
          + SessionSql.DURABLE.strip()
          + ")\n";

  /**
   * What taking a row does: it is started for this owner, unless its effect must be marked right
   * before it runs and nobody may have run it yet; that row is only reserved. A row that was
   * started before, or whose outcome is in doubt, may have happened.
   */
  private static final String TAKE =
      """
      update idembox.effect e
      set owner = ?, due_at = t.due_at, sweep_at = t.due_at, listed = null,
        state = case when e.state = 0 and e.name = any(?) then 0 else 1 end,
        attempt = e.attempt + case when e.state = 0 and e.name = any(?) then 0 else 1 end,
        unknown_before = e.unknown_before or e.state in (1, 3)
      from (select t.id, d.at + ? * interval '1 millisecond' as due_at from taken t, durable d) t
      where e.id = t.id
      """;

  static final String TAKE_UNFINISHED =
      DURABLE
          + """
          , taken as (
            select e.id from idembox.effect e
            where e.namespace_id::int4 = (select namespace_id::int4 from idembox.consumer where id = ?)
              and e.message_id = any(?::uuid[]) and e.sweep_at <= now()
              and e.name = any(?)
          """
          + AND_FIRST_OF_ITS_QUEUE
          + """
            order by e.id
            for update skip locked
          )
          """
          + TAKE
          + RETURN_ENTRY;

  /**
   * Rows that this member wrote in a transaction whose COMMIT it never saw answered: it holds their
   * marks, and has run none of them; unless its own sweeper has taken them since, when their leases
   * had ended.
   */
  static final String TAKE_OWN =
      """
      with found as materialized (
        select e.id from idembox.effect_flight f
          cross join lateral (
            select id from idembox.effect where id between f.first_id and f.last_id offset 0) e
        where f.owner = ?
        union all
        select e.id from idembox.effect e
        where e.namespace_id::int4 = (select namespace_id::int4 from idembox.consumer where id = ?)
          and e.sweep_at is not null
      ), taken as (
        select e.id from idembox.effect e
        where e.id in (select id from found)
          and e.namespace_id::int4 = (select namespace_id::int4 from idembox.consumer where id = ?)
          and e.message_id = any(?::uuid[]) and e.due_at is not null
          and e.owner = ? and e.state in (0, 1) and not e.unknown_before
        order by e.id
        for update
      )
      update idembox.effect e
      set due_at = now() + ? * interval '1 millisecond', sweep_at = now() + ? * interval '1 millisecond'
      from taken t where e.id = t.id
      """
          + RETURN_ENTRY;

  /**
   * What is still owed of flights whose owner fell silent becomes findable. It waits for nobody: of
   * a flight with a row that is locked, and so perhaps being settled, the rest is done at the next
   * look, and the row of the flight stays until then. A flight of which nothing is owed any more
   * was settled by statements that did not all succeed. Lateral, so that it is never the table that
   * is read for its flights.
   */
  static final String END_FLIGHTS =
      """
      with due as materialized (
        select first_id, last_id, namespace_id, owner from idembox.effect_flight
        where namespace_id = (select id from idembox.effect_namespace where name = ?) and due_at <= now()
        order by first_id
        for update skip locked
      ), owed as materialized (
        select f.first_id, e.id from due f
          cross join lateral (
            select e.id from idembox.effect e
            where e.id between f.first_id and f.last_id and e.namespace_id = f.namespace_id
              and e.owner = f.owner and e.due_at is not null and e.sweep_at is null
            offset 0) e
      ), found as materialized (
        select e.id from (select distinct id from owed) o
          cross join lateral (
            select e.id from idembox.effect e
            where e.id = o.id and e.due_at is not null and e.sweep_at is null
            for update skip locked) e
      ), swept as (
        update idembox.effect e set sweep_at = e.due_at
        from found f
        where e.id = f.id
          and e.id between (select min(first_id) from due) and (select max(last_id) from due)
        returning e.id
      )
      delete from idembox.effect_flight f using due d
      where f.first_id = d.first_id
        and not exists (
          select from owed o where o.first_id = d.first_id and o.id not in (select id from swept))
      """;

  static final String TAKE_DUE =
      DURABLE
          + """
          , taken as (
            select e.id from idembox.effect e
            where e.namespace_id::int4 = (select id::int4 from idembox.effect_namespace where name = ?)
              and e.sweep_at <= now() and e.name = any(?)
          """
          + AND_FIRST_OF_ITS_QUEUE
          + """
            order by e.sweep_at
            limit ?
            for update skip locked
          )
          """
          + TAKE
          + RETURN_ENTRY;

  static final String MARK_STARTED =
      DURABLE
          + """
          , marked as (
            select e.id from idembox.effect e join unnest(?::int8[], ?::int4[]) as m(id, attempt) on e.id = m.id
            where %s
              and case when e.owner is distinct from ?::text or e.state <> 0 then false else e.attempt = m.attempt - 1 end
          """
              .formatted(BY_ID)
          + AND_FIRST_OF_ITS_QUEUE
          + """
            order by e.id
            for update of e
          )
          update idembox.effect e
          set state = 1, attempt = e.attempt + 1, due_at = m.due_at,
            sweep_at = case when e.sweep_at is not null then m.due_at end
          from (select m.id, d.at + ? * interval '1 millisecond' as due_at from marked m, durable d) m
          where e.id = m.id
          returning e.id
          """;

  /**
   * DONE and REJECTED drop the request; a run that ended unknown leaves its mark for all later
   * ones; a run that never came about gives its attempt back, if it was marked at all. Rows are not
   * locked in order first, which would double the work: the owner of a mark settles it once, and
   * whoever else looks at several marks passes over locked rows.
   *
   * <p>The flights given are those that end with these settlements. They stay if one of them was
   * not written: somebody else has its mark, or will look for it.
   */
  static final String SETTLE =
      DURABLE
          + """
            , settled as (
              update idembox.effect e
              set state = s.state, owner = null, attempt = e.attempt - case when e.state = 1 then s.unused else 0 end,
                due_at = s.due_at, sweep_at = s.due_at,
                settled_at = case when s.due_at is null then s.at end,
                listed = case when s.state in (3, 4, 5, 6) then s.state end,
                waiting = case when s.state in (0, 3, 4) then e.queue end,
                unknown_before = e.unknown_before or s.state = 3,
                request = case when s.state in (2, 6) then null else e.request end,
                receipt = s.receipt, receipt_format = case when s.receipt is null then null else 1 end,
                last_error = s.last_error
              from (
                select s.*, d.at,
                  case when s.state in (0, 3) then d.at + s.delay_ms * interval '1 millisecond' end as due_at
                from durable d,
                  unnest(?::int8[], ?::int4[], ?::int2[], ?::int2[], ?::int8[], ?::bytea[], ?::text[])
                    as s(id, attempt, state, unused, delay_ms, receipt, last_error)) s
              where e.id = s.id and %s
                and case when e.owner is distinct from ?::text then false
                  when e.state = 1 then e.attempt = s.attempt
                  when e.state = 0 then s.unused = 1 and e.attempt = s.attempt - 1
                  else false end
              returning 1
            ), landed as (
              delete from idembox.effect_flight
              where first_id = any(?::int8[]) and (select count(*) from settled) = ?
            )
            select count(*) from settled
            """
              .formatted(BY_ID);

  /**
   * Passes over rows that are being settled at this moment: they need no lease any more. With their
   * flights, which else would be due while their effects still run.
   */
  static final String RENEW =
      """
      with held as (
        select e.id from idembox.effect e join unnest(?::int8[], ?::int4[]) as m(id, attempt) on e.id = m.id
        where %s and %s
        order by e.id
        for update of e skip locked
      ), lease as materialized (
        select now() + ? * interval '1 millisecond' as due_at
      ), flying as (
        select first_id from idembox.effect_flight where first_id = any(?::int8[])
        order by first_id
        for update skip locked
      ), flights as (
        update idembox.effect_flight f set due_at = l.due_at from flying y, lease l where f.first_id = y.first_id
      )
      update idembox.effect e
      set due_at = l.due_at, sweep_at = case when e.sweep_at is not null then l.due_at end
      from held h, lease l where e.id = h.id
      """
          .formatted(BY_ID, MARKED);

  static final String GIVE_BACK =
      """
      with returned as (
        select e.id from idembox.effect e join unnest(?::int8[], ?::int4[]) as m(id, attempt) on e.id = m.id
        where %s and %s
        order by e.id
        for update of e
      )
      update idembox.effect e
      set state = case when e.unknown_before then 3 else 0 end, owner = null, due_at = now(), sweep_at = now(),
        listed = case when e.unknown_before then 3 end, attempt = e.attempt - e.state
      from returned r where e.id = r.id
      """
          .formatted(BY_ID, MARKED);

  static final String UNFINISHED =
      """
      with n as materialized (select id from idembox.effect_namespace where name = ?)
      select (select count(*) from idembox.effect e, n
          where e.namespace_id::int4 = n.id::int4 and e.sweep_at is not null)
        + (select count(distinct e.id)
           from n join idembox.effect_flight f on f.namespace_id = n.id
             cross join lateral (
               select e.id from idembox.effect e
               where e.id between f.first_id and f.last_id and e.namespace_id = f.namespace_id
                 and e.due_at is not null and e.sweep_at is null
               offset 0) e)
      """;

  private JournalSql() {}
}
