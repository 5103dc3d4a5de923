package io.idembox.inbox;

/** The statements of {@link Pruner}. */
final class PruneSql {
  /**
   * One pruner in the database; the lock ends with the transaction, so a pooler may sit in between.
   * Nobody is kept waiting for a pruned row longer than this transaction takes, and it waits for
   * nobody.
   */
  static final String BEGIN =
      """
      select pg_try_advisory_xact_lock(hashtextextended('idembox.prune', 0)),
        set_config('lock_timeout', '200', true), set_config('synchronous_commit', 'off', true)
      """;

  static final String MAKE =
      """
      insert into idembox.pruning (consumer_id, round_at) values (?, '-infinity')
      on conflict (consumer_id) do nothing
      """;

  static final String POSITION =
      """
      select next_block, next_effect_id, round_at <= clock_timestamp() - ? * interval '1 millisecond'
      from idembox.pruning where consumer_id = ?
      """;

  /** What is done now may go in the walk after this one. */
  static final String BEGIN_ROUND =
      """
      with locked as (
        select p.topic_id, p.partition from idembox.progress p
        where p.consumer_id = ?
        order by p.topic_id, p.partition
        for update
      )
      update idembox.progress p set prunable = p.round_done, round_done = p.done
      from locked l where p.consumer_id = ? and p.topic_id = l.topic_id and p.partition = l.partition
      """;

  static final String COUNT_ROUND =
      "update idembox.pruning set round = round + 1, round_at = clock_timestamp() where consumer_id = ?";

  /** The first column is false when a partition has never been read up to a log end. */
  static final String CUTOFF =
      """
      select bool_and(p.read_until is not null), min(p.read_until) - ? * interval '1 millisecond'
      from unnest(?::int2[], ?::int4[]) as s(topic_id, partition)
      left join idembox.progress p on p.consumer_id = ? and p.topic_id = s.topic_id and p.partition = s.partition
      """;

  /**
   * Walks through the heap by block numbers: the table has no index on its time, which would cost
   * each insert.
   */
  static final String INBOX =
      """
      delete from idembox.inbox i
      where i.ctid >= ?::tid and i.ctid < ?::tid and i.consumer_id = ? and i.recorded_at < ?
        and exists (
          select from idembox.progress p
          where p.consumer_id = i.consumer_id and p.topic_id = i.topic_id and p.partition = i.partition
            and p.prunable @> i."offset")
        and not exists (
          select from idembox.dead_letter d
          where d.consumer_id = i.consumer_id and d.message_id = i.message_id and d.state in (0, 1))
      """;

  static final String BLOCKS =
      "select pg_relation_size('idembox.inbox') / current_setting('block_size')::int";

  static final String LAST_EFFECT =
      """
      select max(id), count(*) from (
        select id from idembox.effect where id > ? order by id limit ?) slice
      """;

  /**
   * Walks by id; the namespace is compared in a form that the unique key, which begins with it, has
   * not. What the attempts behind an open letter have done stays as long as the letter: its retry
   * asks here first.
   */
  static final String EFFECTS =
      """
      delete from idembox.effect e
      where e.id > ? and e.id <= ? and e.state in (2, 6)
        and e.namespace_id::int4 = (select id::int4 from idembox.effect_namespace where name = ?)
        and e.settled_at + e.retention_s * interval '1 second' < clock_timestamp()
        and not exists (
          select from idembox.dead_letter d
          where d.consumer_id = e.consumer_id and d.message_id = e.message_id and d.state in (0, 1))
      """;

  /**
   * What is owed, and found by nobody: it has no sweep_at, and no flight names it. Members of a
   * version that knew no flights leave such rows behind when they die. The walk comes by anyway.
   */
  static final String LOST_EFFECTS =
      """
      update idembox.effect e set sweep_at = due_at
      where e.id > ? and e.id <= ? and e.sweep_at is null and e.due_at < now() - interval '1 minute'
        and e.namespace_id::int4 = (select id::int4 from idembox.effect_namespace where name = ?)
        and not exists (select from idembox.effect_flight f where e.id between f.first_id and f.last_id)
      """;

  static final String LETTERS =
      """
      delete from idembox.dead_letter
      where id in (
        select id from idembox.dead_letter
        where consumer_id = ? and state in (2, 3) and closed_at < clock_timestamp() - ? * interval '1 millisecond'
        order by id limit ?)
      """;

  static final String MOVE_ON =
      "update idembox.pruning set next_block = ?, next_effect_id = ? where consumer_id = ?";

  private PruneSql() {}
}
