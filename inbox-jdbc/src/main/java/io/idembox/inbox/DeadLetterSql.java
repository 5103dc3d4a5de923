package io.idembox.inbox;

/** The statements of {@link DeadLetters}. */
final class DeadLetterSql {
  static final String INSERT =
      """
      insert into idembox.dead_letter (consumer_id, state, message_id, topic_id, partition, "offset", record_time,
        record_key, record_value, record_headers, reason, cause_class, cause_message, error, attempts,
        held_namespace, held_key_hash)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
        case when ?::bytea is not null then (select id from idembox.effect_namespace where name = ?) end, ?)
      returning id
      """;

  private static final String COLUMNS =
      """
      d.id, d.state, d.message_id, d.topic_id, d.partition, d."offset", t.name, d.record_time, d.record_key,
        d.record_value, d.record_headers, d.reason, d.cause_class, d.cause_message, d.error, d.attempts, d.trips,
        d.created_at, d.updated_at, d.closed_at
      """;

  /** Locks the letter first: two retries of it, or a retry and a copy, run one after the other. */
  static final String LOCK =
      "select "
          + COLUMNS
          + " from idembox.dead_letter d join idembox.topic t on t.id = d.topic_id"
          + " where d.consumer_id = ? and d.id = ? for update of d";

  static final String SHOW =
      "select "
          + COLUMNS
          + " from idembox.dead_letter d join idembox.topic t on t.id = d.topic_id"
          + " where d.consumer_id = ? and d.id = ?";

  static final String LIST =
      "select "
          + COLUMNS.replace("d.record_value", "null::bytea")
          + " from idembox.dead_letter d join idembox.topic t on t.id = d.topic_id"
          + " where d.consumer_id = ? and d.state = any(?) and d.id > ? order by d.id limit ?";

  static final String OPEN_AMONG =
      """
      select d.id, d.state, d.message_id, d.topic_id, d.partition, d."offset"
      from idembox.dead_letter d
      where d.consumer_id = ? and d.state in (0, 1) and d.message_id = any(?::uuid[])
      order by d.id
      """;

  static final String CLOSE =
      """
      update idembox.dead_letter
      set state = ?, closed_at = clock_timestamp(), updated_at = clock_timestamp(), attempts = attempts + ?
      where id = ?
      """;

  static final String FAILED_AGAIN =
      """
      update idembox.dead_letter
      set attempts = attempts + 1, trips = trips + 1, reason = ?, cause_class = ?, cause_message = ?, error = ?,
        updated_at = clock_timestamp()
      where consumer_id = ? and id = ? and state = 0
      """;

  static final String DISCARD =
      """
      update idembox.dead_letter
      set state = 3, closed_at = clock_timestamp(), updated_at = clock_timestamp(),
        error = left('discarded: ' || ? || E'\\n' || error, 8192)
      where consumer_id = ? and id = ? and state in (0, 1)
      """;

  static final String RELEASE_HELD =
      """
      update idembox.dead_letter set state = 0, updated_at = clock_timestamp()
      where consumer_id = ? and state = 1 and held_key_hash = ?
        and held_namespace = (select id from idembox.effect_namespace where name = ?)
      returning id
      """;

  static final String UNRELAYED =
      "select "
          + COLUMNS
          + " from idembox.dead_letter d join idembox.topic t on t.id = d.topic_id"
          + " where d.consumer_id = ? and d.relayed_at is null and d.state in (0, 1) order by d.id limit ?";

  static final String RELAYED =
      "update idembox.dead_letter set relayed_at = clock_timestamp() where consumer_id = ? and id = any(?)";

  private DeadLetterSql() {}
}
