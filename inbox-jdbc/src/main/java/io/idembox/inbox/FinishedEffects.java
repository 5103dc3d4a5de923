package io.idembox.inbox;

import io.idembox.effect.EffectCodec;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectRejectedException;
import io.idembox.inbox.OnceMemory.Completed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Effects that the journal knows as finished, though no intent of theirs ever stood in it. */
final class FinishedEffects {
  private static final String FIND =
      """
      select state, receipt, last_error from idembox.effect
      where namespace_id = (select id from idembox.effect_namespace where name = ?) and key_hash = ?
        and state in (2, 6)
      """;

  /**
   * A row that is already there knows better: it may be owed, held, or done with another receipt.
   */
  private static final String ADD =
      """
      insert into idembox.effect (namespace_id, state, attempt, key_hash, effect_key, name, settled_at, retention_s,
        consumer_id, topic_id, partition, "offset", message_id, request_format, receipt_format, receipt)
      select id, 2, 1, ?, ?, ?, clock_timestamp(), ?, ?, ?, ?, ?, ?, 1, ?, ?
      from idembox.effect_namespace where name = ?
      on conflict (namespace_id, key_hash) do nothing
      """;

  private final RegisteredConsumer consumer;
  private final EffectCodec codec;

  FinishedEffects(RegisteredConsumer consumer, EffectCodec codec) {
    this.consumer = consumer;
    this.codec = codec;
  }

  /** What an effect left; a record, because the receipt itself may be null. */
  record Answer<R>(@Nullable R receipt) {}

  /**
   * Looks one up, in the transaction of the handler that asks.
   *
   * @throws EffectRejectedException if it was rejected for good
   * @throws ReceiptUnavailableException if it is done and its receipt cannot be had
   */
  <R> Optional<Answer<R>> find(Connection connection, EffectKey key, Class<R> receiptType) {
    try (PreparedStatement find = connection.prepareStatement(FIND)) {
      find.setString(1, consumer.namespace());
      find.setBytes(2, key.hash(consumer.namespace()).bytes());
      try (ResultSet row = find.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        if (EffectState.of(row.getShort(1)) == EffectState.REJECTED) {
          throw new EffectRejectedException(String.valueOf(row.getString(3)));
        }
        return Optional.of(new Answer<>(decode(key, row.getBytes(2), receiptType)));
      }
    } catch (SQLException e) {
      throw InboxStatementException.of(InboxStatementException.Phase.JOURNAL, e);
    }
  }

  private <R> @Nullable R decode(EffectKey key, byte @Nullable [] receipt, Class<R> type) {
    if (receipt == null) {
      throw new ReceiptUnavailableException(key, "it was not kept", null);
    }
    try {
      return codec.decode(receipt, type);
    } catch (Exception e) {
      throw new ReceiptUnavailableException(key, "it cannot be read as " + type.getName(), e);
    }
  }

  /** Writes down what failed attempts completed, in the transaction of their dead letter. */
  void add(Connection connection, InboxClaim origin, List<Completed> effects) throws SQLException {
    if (effects.isEmpty()) {
      return;
    }
    try (PreparedStatement add = connection.prepareStatement(ADD)) {
      for (Completed effect : inOrderOfHash(effects)) {
        byte[] receipt = encode(effect);
        add.setBytes(1, effect.key().hash(consumer.namespace()).bytes());
        add.setBytes(2, effect.key().canonical());
        add.setString(3, effect.effect());
        add.setInt(4, Math.toIntExact(Math.max(1, effect.policy().retention().toSeconds())));
        add.setShort(5, consumer.id());
        add.setInt(6, origin.topicId());
        add.setInt(7, origin.partition());
        add.setLong(8, origin.offset());
        add.setObject(9, origin.messageId());
        add.setObject(10, receipt == null ? null : (short) 1);
        add.setBytes(11, receipt);
        add.setString(12, consumer.namespace());
        add.addBatch();
      }
      add.executeBatch();
    }
  }

  /** As all who insert into the journal do, so that no two of them wait for each other. */
  private List<Completed> inOrderOfHash(List<Completed> effects) {
    return effects.stream()
        .sorted(
            Comparator.comparing(
                effect -> effect.key().hash(consumer.namespace()).bytes(), Arrays::compareUnsigned))
        .toList();
  }

  /** Null when it cannot be kept: the effect is done all the same. */
  private byte @Nullable [] encode(Completed effect) {
    try {
      byte[] receipt = codec.encode(effect.receipt());
      return receipt.length <= effect.policy().receiptCap() ? receipt : null;
    } catch (Exception e) {
      return null;
    }
  }
}
