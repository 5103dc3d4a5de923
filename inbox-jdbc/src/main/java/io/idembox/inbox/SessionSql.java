package io.idembox.inbox;

/**
 * The texts that the inbox sends around a transaction. The driver sends the parts between
 * semicolons together, and BEGIN with the first, so each text is one round trip. No text ever
 * depends on its values, and the server is told to keep one plan for each: left to itself it plans
 * the claim anew for every batch. A plan that is kept must not come from a moment when a table was
 * so small that reading it whole was best, so that is switched off for our statements.
 */
final class SessionSql {
  /**
   * The server's timeline, which changes when a standby takes over. A standby has none to write on;
   * the statement that follows is about to say so.
   */
  static final String TIMELINE =
      """
      case when pg_is_in_recovery() then 0
        else ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int end
      """;

  /**
   * The commit waits for the disk whatever the database's or the role's setting, until the end of
   * the transaction; stricter settings stay.
   */
  static final String DURABLE =
      """
      set_config('synchronous_commit',
        case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true)
      """;

  /**
   * What is looked at once after the claim, so that nothing has to be asked when there is nothing:
   * effects that are due, open dead letters, failed attempts. Takes the consumer {@value
   * #HINT_PARAMETERS} times.
   *
   * <p>Due, and not merely unfinished: what others hold cannot be taken, and while effects run
   * there are always some. A flight that is due holds what a member that fell silent has left.
   */
  static final String HINTS =
      """
      exists (
          select from idembox.effect
          where namespace_id::int4 = (select namespace_id::int4 from idembox.consumer where id = ?)
            and sweep_at <= now())
        or exists (
          select from idembox.effect_flight
          where namespace_id = (select namespace_id from idembox.consumer where id = ?) and due_at <= now()),
        exists (select from idembox.dead_letter where consumer_id = ? and state in (0, 1)),
        exists (select from idembox.attempt where consumer_id = ?)
      """;

  static final int HINT_PARAMETERS = 4;

  /**
   * Begins the transaction: first the session's values for what is set here and our time-outs, then
   * the statement given; after it the handler gets the session's own time-outs back.
   */
  private static final String OPENING =
      """
      select current_setting('idle_in_transaction_session_timeout'), current_setting('synchronous_commit'), %1$s,
        set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
        set_config('idembox.statement_timeout', current_setting('statement_timeout'), true),
        set_config('idembox.plan_cache_mode', current_setting('plan_cache_mode'), true),
        set_config('idembox.enable_seqscan', current_setting('enable_seqscan'), true),
        set_config('lock_timeout', ?, true),
        set_config('statement_timeout', ?, true),
        set_config('plan_cache_mode', 'force_generic_plan', true),
        set_config('enable_seqscan', 'off', true),
        set_config('idle_in_transaction_session_timeout', ?, true),
        %2$s;
      %3$s;
      select %4$s, %5$s,
        set_config('lock_timeout', current_setting('idembox.lock_timeout'), true),
        set_config('statement_timeout', current_setting('idembox.statement_timeout'), true),
        set_config('plan_cache_mode', current_setting('idembox.plan_cache_mode'), true),
        set_config('enable_seqscan', current_setting('idembox.enable_seqscan'), true)
      """;

  /** Commits. The setting once more, since a handler may have relaxed it. */
  static final String COMMIT =
      """
      select %s, %s;
      commit
      """
          .formatted(SessionSettings.LINE, DURABLE);

  /** For statements of ours after the handler. */
  static final String OWN_TIMEOUTS =
      """
      select %s, set_config('lock_timeout', ?, true), set_config('statement_timeout', ?, true),
        set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)
      """
          .formatted(SessionSettings.LINE);

  private SessionSql() {}

  static String opening(String statement) {
    return OPENING.formatted(TIMELINE, DURABLE, statement.strip(), HINTS, settingsAfterwards());
  }

  /**
   * The watched settings as the handler will meet them: those of ours that are about to be put back
   * are taken from where they were kept.
   */
  private static String settingsAfterwards() {
    return SessionSettings.LINE
        .replace("current_setting('lock_timeout')", "current_setting('idembox.lock_timeout')")
        .replace(
            "current_setting('statement_timeout')", "current_setting('idembox.statement_timeout')")
        .replace("current_setting('plan_cache_mode')", "current_setting('idembox.plan_cache_mode')")
        .replace("current_setting('enable_seqscan')", "current_setting('idembox.enable_seqscan')");
  }
}
