package io.idembox.inbox;

/**
 * The statements of {@link JdbcProgress}. Rows are locked in the order of their key by all of them.
 */
final class ProgressSql {
  private static final String COLUMNS =
      """
      p.topic_id, p.partition, p.done::text, p.lost::text, p.skipped::text, p.generation, p.leader_epoch,
        p.timeline, %s, p.read_until, p.open, clock_timestamp()
      """
          .formatted(SessionSql.TIMELINE);

  static final String MAKE =
      """
      insert into idembox.progress (consumer_id, topic_id, partition)
      select ?, w.topic_id, w.partition from unnest(?::int2[], ?::int4[]) as w(topic_id, partition)
      where not exists (
        select from idembox.progress p
        where p.consumer_id = ? and p.topic_id = w.topic_id and p.partition = w.partition)
      order by w.topic_id, w.partition
      on conflict do nothing
      """;

  static final String READ =
      """
      select %s
      from unnest(?::int2[], ?::int4[]) with ordinality as w(topic_id, partition, n)
      join idembox.progress p on p.consumer_id = ? and p.topic_id = w.topic_id and p.partition = w.partition
      order by w.n
      """
          .formatted(COLUMNS);

  private static final String LOCKED =
      """
      with locked as (
        select p.topic_id, p.partition, p.open
        from idembox.progress p
        join unnest(?::int2[], ?::int4[]) as w(topic_id, partition) using (topic_id, partition)
        where p.consumer_id = ?
        order by p.topic_id, p.partition
        for update of p
      )
      """;

  static final String OPEN =
      LOCKED
          + """
            update idembox.progress p set open = ?, updated_at = clock_timestamp()
            from locked l where p.consumer_id = ? and p.topic_id = l.topic_id and p.partition = l.partition
            """;

  static final String RELEASE =
      LOCKED
          + """
            update idembox.progress p set open = null, updated_at = clock_timestamp()
            from locked l where p.consumer_id = ? and p.topic_id = l.topic_id and p.partition = l.partition
              and l.open = ?
            """;

  /**
   * Union under a lock, compared with what the member believes. One that has not seen a cut is
   * refused: it would mark offsets as done that stand for other records now. What ran under an
   * earlier timeline is refused as well: it may have been lost with its server.
   */
  static final String GROW =
      """
      with asked as (
        select * from unnest(?::int2[], ?::int4[], ?::text[], ?::text[], ?::text[], ?::int4[], ?::int4[], ?::int4[],
          ?::timestamptz[]) with ordinality
          as a(topic_id, partition, done, lost, skipped, generation, leader_epoch, timeline, read_until, n)
      ), locked as (
        select a.*, p as stored, p.generation = a.generation as same_generation, p.leader_epoch = a.leader_epoch as same_epoch,
          a.timeline = %1$s as same_timeline
        from idembox.progress p join asked a using (topic_id, partition)
        where p.consumer_id = ?
        order by p.topic_id, p.partition
        for update of p
      ), grown as (
        update idembox.progress p
        set done = p.done + l.done::int8multirange, lost = p.lost + l.lost::int8multirange,
          skipped = p.skipped + l.skipped::int8multirange, timeline = l.timeline,
          read_until = greatest(p.read_until, l.read_until), updated_at = clock_timestamp()
        from locked l
        where p.consumer_id = ? and p.topic_id = l.topic_id and p.partition = l.partition
          and l.same_generation and l.same_epoch and l.same_timeline
        returning p.topic_id, p.partition, p as stored
      )
      select %2$s, l.n, l.same_generation, l.same_epoch, l.same_timeline
      from locked l
      left join grown g using (topic_id, partition)
      cross join lateral (select (coalesce(g.stored, l.stored)).*) p
      order by l.n
      """
          .formatted(SessionSql.TIMELINE, COLUMNS);

  static final String CUT =
      """
      update idembox.progress
      set done = done - ?::int8multirange, lost = lost - ?::int8multirange, skipped = skipped - ?::int8multirange,
        round_done = round_done - ?::int8multirange, prunable = prunable - ?::int8multirange,
        leader_epoch = ?, updated_at = clock_timestamp()
      where consumer_id = ? and topic_id = ? and partition = ? and generation = ? and leader_epoch = ?
        and leader_epoch < ?
      """;

  static final String FORGET =
      """
      update idembox.progress
      set done = done - ?::int8multirange, lost = lost - ?::int8multirange, skipped = skipped - ?::int8multirange,
        round_done = round_done - ?::int8multirange, prunable = prunable - ?::int8multirange,
        generation = generation + 1, updated_at = clock_timestamp()
      where consumer_id = ? and topic_id = ? and partition = ?
      """;

  static final String FORGET_ROWS =
      """
      delete from idembox.inbox
      where consumer_id = ? and topic_id = ? and partition = ? and ?::int8multirange @> "offset"
      """;

  private ProgressSql() {}
}
