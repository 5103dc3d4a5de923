package io.idembox.inbox;

/**
 * The journal's statements, each a transaction of its own. Who inserts or reopens several effects
 * locks them in the order of their hash; who looks for work passes over locked rows; a mark is
 * settled by its owner alone: no two of them wait for each other. What is due is compared with
 * now(), which an index can look up, unlike clock_timestamp().
 */
final class JournalSql {
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
            where before.namespace_id = e.namespace_id and before.queue = e.queue and before.place < e.place
              and before.queue is not null and before.state in (0, 1, 3, 4)))
      """;

  /**
   * DO NOTHING, not DO UPDATE: the latter locks the row that it meets, which another member may be
   * settling together with rows that this transaction holds.
   */
  static final String INSERT =
      """
      with n as materialized (
        select id, %s as transaction from idembox.effect_namespace where name = ?
      )
      insert into idembox.effect (namespace_id, consumer_id, owner, state, attempt, due_at, retention_s, key_hash,
        effect_key, name, message_id, topic_id, partition, "offset", request_format, request, fingerprint, queue, place)
      select n.id, ?, ?, i.state, i.attempt, clock_timestamp() + i.lease_ms * interval '1 millisecond',
        i.retention_s, i.key_hash, i.effect_key, i.name, i.message_id, i.topic_id, i.partition, i."offset",
        1, i.request, i.fingerprint, i.queue, %s
      from n,
        unnest(?::int2[], ?::int4[], ?::int8[], ?::int4[], ?::bytea[], ?::bytea[], ?::text[], ?::uuid[],
          ?::int2[], ?::int4[], ?::int8[], ?::bytea[], ?::bytea[], ?::int8[]) with ordinality
        as i(state, attempt, lease_ms, retention_s, key_hash, effect_key, name, message_id,
          topic_id, partition, "offset", request, fingerprint, queue, asked)
      order by i.key_hash
      on conflict (namespace_id, key_hash) do nothing
      returning key_hash, id, queue, place
      """
          .formatted(TRANSACTION, PLACE);

  /**
   * For intents that met a row: FAILED is opened again by a new request, and a finished row past
   * its retention counts as absent, pruned or not. The others stay; what they stand for is
   * answered.
   */
  static final String REOPEN =
      """
      with n as materialized (
        select id, %s as transaction from idembox.effect_namespace where name = ?
      ), asked as materialized (
        select n.id as namespace_id, %s as place, i.*
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
          due_at = clock_timestamp() + a.lease_ms * interval '1 millisecond', retention_s = a.retention_s,
          name = a.name, message_id = a.message_id, topic_id = a.topic_id, partition = a.partition,
          "offset" = a."offset", request_format = 1, request = a.request, fingerprint = a.fingerprint,
          settled_at = null, receipt_format = null, receipt = null, last_error = null, inherited = false,
          queue = a.queue, place = a.place
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
      "with durable as materialized (select " + SessionSql.DURABLE.strip() + ")\n";

  /**
   * What taking a row does: it is started for this owner, unless its effect must be marked right
   * before it runs and nobody may have run it yet; that row is only reserved. A row that was
   * started before, or whose outcome is in doubt, may have happened.
   */
  private static final String TAKE =
      """
      update idembox.effect e
      set owner = ?, due_at = clock_timestamp() + ? * interval '1 millisecond',
        state = case when e.state = 0 and e.name = any(?) then 0 else 1 end,
        attempt = e.attempt + case when e.state = 0 and e.name = any(?) then 0 else 1 end,
        unknown_before = e.unknown_before or e.state in (1, 3)
      from taken t, durable where e.id = t.id
      """;

  static final String TAKE_UNFINISHED =
      DURABLE
          + """
          , taken as (
            select e.id from idembox.effect e
            where e.namespace_id = (select namespace_id from idembox.consumer where id = ?)
              and e.message_id = any(?::uuid[]) and e.due_at <= now()
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
      with taken as (
        select e.id from idembox.effect e
        where e.namespace_id = (select namespace_id from idembox.consumer where id = ?)
          and e.message_id = any(?::uuid[]) and e.due_at is not null
          and e.owner = ? and e.state in (0, 1) and not e.unknown_before
        order by e.id
        for update
      )
      update idembox.effect e set due_at = clock_timestamp() + ? * interval '1 millisecond'
      from taken t where e.id = t.id
      """
          + RETURN_ENTRY;

  static final String TAKE_DUE =
      DURABLE
          + """
          , taken as (
            select e.id from idembox.effect e
            where e.namespace_id = (select id from idembox.effect_namespace where name = ?)
              and e.due_at <= now() and e.name = any(?)
          """
          + AND_FIRST_OF_ITS_QUEUE
          + """
            order by e.due_at
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
            where e.state = 0 and e.owner = ? and e.attempt = m.attempt - 1
          """
          + AND_FIRST_OF_ITS_QUEUE
          + """
            order by e.id
            for update of e
          )
          update idembox.effect e
          set state = 1, attempt = e.attempt + 1, due_at = clock_timestamp() + ? * interval '1 millisecond'
          from marked m, durable where e.id = m.id
          returning e.id
          """;

  /**
   * DONE and REJECTED drop the request; a run that ended unknown leaves its mark for all later
   * ones; a run that never came about gives its attempt back, if it was marked at all. Rows are not
   * locked in order first, which would double the work: the owner of a mark settles it once, and
   * whoever else looks at several marks passes over locked rows.
   */
  static final String SETTLE =
      DURABLE
          + """
            update idembox.effect e
            set state = s.state, owner = null, attempt = e.attempt - case when e.state = 1 then s.unused else 0 end,
              due_at = case when s.state in (0, 3) then clock_timestamp() + s.delay_ms * interval '1 millisecond' end,
              settled_at = case when s.state in (0, 3) then null else clock_timestamp() end,
              unknown_before = e.unknown_before or s.state = 3,
              request = case when s.state in (2, 6) then null else e.request end,
              receipt = s.receipt, receipt_format = case when s.receipt is null then null else 1 end,
              last_error = s.last_error
            from unnest(?::int8[], ?::int4[], ?::int2[], ?::int2[], ?::int8[], ?::bytea[], ?::text[])
              as s(id, attempt, state, unused, delay_ms, receipt, last_error), durable
            where e.id = s.id and e.owner = ?
          and (e.state = 1 and e.attempt = s.attempt or e.state = 0 and s.unused = 1 and e.attempt = s.attempt - 1)
          """;

  /** Passes over rows that are being settled at this moment: they need no lease any more. */
  static final String RENEW =
      """
      with held as (
        select e.id from idembox.effect e join unnest(?::int8[], ?::int4[]) as h(id, attempt) on e.id = h.id
        where e.owner = ? and (e.state = 1 and e.attempt = h.attempt or e.state = 0 and e.attempt = h.attempt - 1)
        order by e.id
        for update of e skip locked
      )
      update idembox.effect e set due_at = clock_timestamp() + ? * interval '1 millisecond'
      from held h where e.id = h.id
      """;

  static final String GIVE_BACK =
      """
      with returned as (
        select e.id from idembox.effect e join unnest(?::int8[], ?::int4[]) as r(id, attempt) on e.id = r.id
        where e.owner = ? and (e.state = 1 and e.attempt = r.attempt or e.state = 0 and e.attempt = r.attempt - 1)
        order by e.id
        for update of e
      )
      update idembox.effect e
      set state = case when e.unknown_before then 3 else 0 end, owner = null, due_at = clock_timestamp(),
        attempt = e.attempt - e.state
      from returned r where e.id = r.id
      """;

  static final String UNFINISHED =
      """
      select count(*) from idembox.effect
      where namespace_id = (select id from idembox.effect_namespace where name = ?) and due_at is not null
      """;

  private JournalSql() {}
}
