package io.idembox.inbox;

import io.idembox.effect.EffectCodec;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectRecord;
import io.idembox.effect.EffectRejectedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Effects of messages that the consumer rebuilt has done: they count as finished, and none of them
 * runs, whatever has become of their records since. Thread-safe.
 */
final class InheritedEffects {
  /** A row that is already there knows better: it may be owed, held, or done with a receipt. */
  private static final String ADD =
      """
      insert into idembox.effect (namespace_id, state, attempt, inherited, key_hash, effect_key, name, settled_at,
        retention_s, consumer_id, topic_id, partition, "offset", message_id, request_format)
      select id, 2, 0, true, ?, ?, ?, clock_timestamp(), ?, ?, ?, ?, ?, ?, 1
      from idembox.effect_namespace where name = ?
      on conflict (namespace_id, key_hash) do nothing
      """;

  private final RegisteredConsumer consumer;
  private final EffectCodec codec;
  private final FinishedEffects finished;
  private final @Nullable EffectGuard guard;
  private final LongAdder written = new LongAdder();

  InheritedEffects(
      RegisteredConsumer consumer,
      EffectCodec codec,
      FinishedEffects finished,
      @Nullable EffectGuard guard) {
    this.consumer = consumer;
    this.codec = codec;
    this.finished = finished;
    this.guard = guard;
  }

  /** How many were written by this member. */
  long written() {
    return written.sum();
  }

  /** Writes intents as finished ones, in the transaction of the handler that asks for them. */
  void add(Connection connection, Collection<Intent> intents, List<InboxClaim> claims)
      throws SQLException {
    // In the order in which all do who insert, so that no two of them wait for each other.
    List<Intent> inOrder =
        intents.stream()
            .sorted(Comparator.comparing(intent -> intent.hash().bytes(), Arrays::compareUnsigned))
            .toList();
    try (PreparedStatement add = connection.prepareStatement(ADD)) {
      for (Intent intent : inOrder) {
        InboxClaim origin = claims.get(intent.message());
        add.setBytes(1, intent.hash().bytes());
        add.setBytes(2, intent.key().canonical());
        add.setString(3, intent.effect());
        add.setInt(4, Math.toIntExact(Math.max(1, intent.policy().retention().toSeconds())));
        add.setShort(5, consumer.id());
        add.setInt(6, origin.topicId());
        add.setInt(7, origin.partition());
        add.setLong(8, origin.offset());
        add.setObject(9, origin.messageId());
        add.setString(10, consumer.namespace());
        add.addBatch();
      }
      int added = 0;
      for (int rows : add.executeBatch()) {
        added += Math.max(0, rows);
      }
      written.add(added);
    }
  }

  /**
   * The receipt that an effect left, in the journal or in the guard; nothing is claimed.
   *
   * @throws EffectRejectedException if it was rejected for good
   * @throws ReceiptUnavailableException if it is done and its receipt cannot be read, or was not
   *     kept
   * @throws io.idembox.effect.EffectStoreException if the guard cannot be asked
   */
  <R> Optional<FinishedEffects.Answer<R>> receipt(
      Connection connection, EffectKey key, Class<R> receiptType) {
    Optional<FinishedEffects.Answer<R>> known = Optional.empty();
    ReceiptUnavailableException notThere = null;
    try {
      known = finished.find(connection, key, receiptType);
    } catch (ReceiptUnavailableException e) {
      // An inherited row of an earlier intent holds none; the guard may.
      notThere = e;
    }
    if (known.isPresent() || guard == null) {
      return known;
    }
    Optional<EffectRecord> record = guard.operations().show(key);
    if (record.isEmpty()) {
      return Optional.empty();
    }
    return switch (record.get().state()) {
      case REJECTED -> throw new EffectRejectedException(record.get().reason());
      case DONE ->
          record.get().receiptKept()
              ? Optional.of(decode(key, record.get().receipt(), receiptType))
              : Optional.empty();
      case CLAIMED, IN_DOUBT, FREE, UNREADABLE -> {
        if (notThere != null) {
          throw notThere;
        }
        yield Optional.empty();
      }
    };
  }

  private <R> FinishedEffects.Answer<R> decode(EffectKey key, byte[] receipt, Class<R> type) {
    try {
      return new FinishedEffects.Answer<>(codec.decode(receipt, type));
    } catch (Exception e) {
      throw new ReceiptUnavailableException(key, "it cannot be read as " + type.getName(), e);
    }
  }

  /** What a handler is told when there is none. */
  ReceiptUnavailableException notKept(EffectKey key) {
    return new ReceiptUnavailableException(
        key,
        "the consumer that "
            + consumer.name()
            + " rebuilds has handled this record, neither journal nor guard keeps a receipt of it any"
            + " more, and a rebuild runs nothing again. Let the effect implement RebuildableEffect to"
            + " say what a rebuild gets",
        null);
  }
}
