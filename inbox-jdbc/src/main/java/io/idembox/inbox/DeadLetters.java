package io.idembox.inbox;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxStatementException.Phase;
import io.idembox.inbox.LetterRetry.NotOpen;
import io.idembox.inbox.LetterRetry.Retried;
import io.idembox.inbox.RecordedLetter.AlreadyHandled;
import io.idembox.inbox.RecordedLetter.AlreadyOpen;
import io.idembox.inbox.RecordedLetter.Recorded;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The records that a consumer gave up: byte for byte, with the root cause. A letter is written in
 * one transaction with the inbox row, and closed in one transaction with a retry's writes; so a
 * message is at any time handled once, or in here, or neither, and never both.
 *
 * <p>Thread-safe. All methods throw {@link InboxStatementException} when the database failed.
 */
public final class DeadLetters {
  private static final Instant EARLIEST = Instant.parse("-4000-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("+290000-01-01T00:00:00Z");

  private final InboxConfig config;
  private final RegisteredConsumer consumer;
  private final InboxTransactions transactions;
  private final OnceCalls once;
  private final OnceMemory completed;
  private final FinishedEffects finished;

  DeadLetters(
      InboxConfig config,
      RegisteredConsumer consumer,
      InboxTransactions transactions,
      OnceCalls once,
      OnceMemory completed) {
    this.config = config;
    this.consumer = consumer;
    this.transactions = transactions;
    this.once = once;
    this.completed = completed;
    this.finished = new FinishedEffects(consumer, config.codec());
  }

  /**
   * Gives a record up. The transaction begins with the claim: where somebody else has handled the
   * message, there is no letter. With the letter go the {@code once} effects that its attempts
   * completed in this process, into the journal, and its failed attempts are deleted.
   */
  public RecordedLetter record(DeadLetterDraft draft) {
    InboxClaim claim = draft.claim();
    List<InboxClaim> claims = List.of(claim);
    long[] id = {0};
    InboxRun run =
        unchecked(
            claims,
            (connection, session, fresh) -> {
              if (!fresh.isEmpty()) {
                session.takeBackTimeouts();
                id[0] = insert(connection, draft);
                Attempts.delete(connection, consumer.id(), List.of(claim.messageId()));
                finished.add(connection, claim, completed.of(claim.messageId()));
              }
            });
    if (!run.fresh().isEmpty()) {
      return new Recorded(id[0]);
    }
    List<OpenLetter> open = openAmong(List.of(claim.messageId()));
    return open.isEmpty() ? new AlreadyHandled() : new AlreadyOpen(open.get(0).id());
  }

  /**
   * Handles the record of an open letter, and closes the letter, in one transaction that holds the
   * letter's row. Its message identity stays. {@code once} asks the journal first.
   *
   * @param replacement other bytes to handle, of a copy or corrected by hand; null for the stored
   *     ones
   * @throws Exception what the work threw, unchanged, after a rollback; the letter stays open, and
   *     its attempts, trips and error are updated
   */
  public LetterRetry retry(long id, @Nullable DeadLetterContent replacement, RetryWork work)
      throws Exception {
    LetterOpening opening = new LetterOpening(consumer.id(), id);
    InboxRun run;
    try {
      run =
          transactions.run(
              opening.claims(),
              opening,
              once.afterJournal(finished),
              batch -> handle(batch, opening, replacement, work),
              (connection, session, fresh) -> {
                if (!fresh.isEmpty()) {
                  session.takeBackTimeouts();
                  close(connection, id, DeadLetterState.RETRIED, 1);
                }
              });
    } catch (InboxStatementException e) {
      // Not the record's doing.
      throw e;
    } catch (Exception e) {
      failedAgain(id, e);
      throw e;
    }
    DeadLetter letter = opening.letter();
    return run.fresh().isEmpty()
        ? new NotOpen(letter == null ? null : letter.state())
        : new Retried(run);
  }

  private static void handle(
      InboxBatch batch,
      LetterOpening opening,
      @Nullable DeadLetterContent replacement,
      RetryWork work)
      throws Exception {
    DeadLetter letter = opening.letter();
    if (letter != null && letter.state() == DeadLetterState.OPEN) {
      work.handle(replacement == null ? letter : letter.withContent(replacement), batch.begin(0));
    }
  }

  /** A letter with its content; empty when this consumer has none of this id. */
  public Optional<DeadLetter> show(long id) {
    return query(
            DeadLetterSql.SHOW,
            select -> {
              select.setShort(1, consumer.id());
              select.setLong(2, id);
            },
            DeadLetterRows::read)
        .stream()
        .findFirst();
  }

  /**
   * Letters in the order of their ids, without values (null in all of them).
   *
   * @param afterId 0 to begin with; then the last id seen
   */
  public List<DeadLetter> list(Set<DeadLetterState> states, long afterId, int limit) {
    short[] codes = new short[states.size()];
    int i = 0;
    for (DeadLetterState state : states) {
      codes[i++] = state.code();
    }
    return query(
        DeadLetterSql.LIST,
        select -> {
          select.setShort(1, consumer.id());
          select.setObject(2, codes);
          select.setLong(3, afterId);
          select.setInt(4, limit);
        },
        DeadLetterRows::read);
  }

  /** Which of these messages have an open or held letter. */
  public List<OpenLetter> openAmong(Collection<UUID> messageIds) {
    if (messageIds.isEmpty()) {
      return List.of();
    }
    return query(
        DeadLetterSql.OPEN_AMONG,
        select -> {
          select.setShort(1, consumer.id());
          select.setObject(2, SqlArrays.uuids(messageIds), Types.OTHER);
        },
        row ->
            new OpenLetter(
                row.getLong(1), DeadLetterState.of(row.getShort(2)), DeadLetterRows.claim(row, 3)));
  }

  /**
   * Gives a letter up for good. Its message counts as handled.
   *
   * @param why kept with the letter
   * @return false when it was neither open nor held
   */
  public boolean discard(long id, String why) {
    return update(
            DeadLetterSql.DISCARD,
            update -> {
              update.setString(1, Texts.storable(why));
              update.setShort(2, consumer.id());
              update.setLong(3, id);
            })
        > 0;
  }

  /**
   * An effect that was held is settled: letters that waited for it are open now.
   *
   * @return their ids, to be retried
   */
  public List<Long> releaseHeld(EffectKey key) {
    return query(
        DeadLetterSql.RELEASE_HELD,
        update -> {
          update.setShort(1, consumer.id());
          update.setBytes(2, key.hash(consumer.namespace()).bytes());
          update.setString(3, consumer.namespace());
        },
        row -> row.getLong(1));
  }

  /**
   * Open and held letters that were not yet relayed to a topic, oldest first, with their content.
   */
  public List<DeadLetter> unrelayed(int limit) {
    return query(
        DeadLetterSql.UNRELAYED,
        select -> {
          select.setShort(1, consumer.id());
          select.setInt(2, limit);
        },
        DeadLetterRows::read);
  }

  /** Notes that letters were relayed; a crash before this relays them again. */
  public void relayed(Collection<Long> ids) {
    update(
        DeadLetterSql.RELAYED,
        update -> {
          update.setShort(1, consumer.id());
          update.setObject(2, ids.stream().mapToLong(Long::longValue).toArray());
        });
  }

  /** A transaction without a handler, so without its checked exceptions. */
  private InboxRun unchecked(List<InboxClaim> claims, Closing closing) {
    try {
      return transactions.run(
          claims,
          new ClaimOpening(consumer.id(), new ClaimIndex(claims)),
          once,
          batch -> {},
          closing);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("Nothing that was called throws this", e);
    }
  }

  private long insert(Connection connection, DeadLetterDraft draft) throws SQLException {
    EffectKey held = draft.heldBy();
    byte[] hash = held == null ? null : held.hash(consumer.namespace()).bytes();
    DeadLetterContent content = draft.content();
    DeadLetterError error = draft.error();
    DeadLetterState state = held == null ? DeadLetterState.OPEN : DeadLetterState.HELD;
    try (PreparedStatement insert = connection.prepareStatement(DeadLetterSql.INSERT)) {
      insert.setShort(1, consumer.id());
      insert.setShort(2, state.code());
      insert.setObject(3, draft.claim().messageId());
      insert.setInt(4, draft.claim().topicId());
      insert.setInt(5, draft.claim().partition());
      insert.setLong(6, draft.claim().offset());
      insert.setObject(7, storable(content.timestamp()));
      insert.setBytes(8, content.key());
      insert.setBytes(9, content.value());
      insert.setBytes(10, HeaderBytes.write(content.headers()));
      insert.setString(11, error.reason());
      insert.setString(12, error.causeClass());
      insert.setString(13, error.causeMessage());
      insert.setString(14, error.text());
      insert.setInt(15, draft.attempts());
      insert.setBytes(16, hash);
      insert.setString(17, consumer.namespace());
      insert.setBytes(18, hash);
      try (ResultSet row = insert.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /**
   * A producer may write any 64 bits as a time; one that PostgreSQL cannot hold must not stop it.
   */
  private static @Nullable OffsetDateTime storable(@Nullable Instant time) {
    return time == null || time.isBefore(EARLIEST) || time.isAfter(LATEST)
        ? null
        : time.atOffset(ZoneOffset.UTC);
  }

  private static void close(Connection connection, long id, DeadLetterState state, int attempts)
      throws SQLException {
    try (PreparedStatement close = connection.prepareStatement(DeadLetterSql.CLOSE)) {
      close.setShort(1, state.code());
      close.setInt(2, attempts);
      close.setLong(3, id);
      close.executeUpdate();
    }
  }

  private void failedAgain(long id, Exception failure) {
    DeadLetterError error = DeadLetterError.of("retry failed", failure);
    try {
      update(
          DeadLetterSql.FAILED_AGAIN,
          update -> {
            update.setString(1, error.reason());
            update.setString(2, error.causeClass());
            update.setString(3, error.causeMessage());
            update.setString(4, error.text());
            update.setShort(5, consumer.id());
            update.setLong(6, id);
          });
    } catch (InboxStatementException e) {
      // The handler's failure is the one to be told.
      failure.addSuppressed(e);
    }
  }

  @FunctionalInterface
  private interface Binder {
    void bind(PreparedStatement statement) throws SQLException;
  }

  @FunctionalInterface
  private interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private <T> List<T> query(String sql, Binder binder, Reader<T> reader) {
    return Sql.single(
        config.dataSource(),
        Phase.DEAD_LETTER,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binder.bind(statement);
            try (ResultSet rows = statement.executeQuery()) {
              List<T> found = new ArrayList<>();
              while (rows.next()) {
                found.add(reader.read(rows));
              }
              return found;
            }
          }
        });
  }

  private int update(String sql, Binder binder) {
    return Sql.single(
        config.dataSource(),
        Phase.DEAD_LETTER,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binder.bind(statement);
            return statement.executeUpdate();
          }
        });
  }
}
