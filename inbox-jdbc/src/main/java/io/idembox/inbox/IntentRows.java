package io.idembox.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Intents as the arrays that the insert takes: what differs from one to the next, and what many
 * have in common, a kind of which each names the number.
 */
final class IntentRows {
  private final short[] kinds;
  private final byte[][] hashes;
  private final byte[][] keys;
  private final StringBuilder messages;
  private final long[] offsets;
  private final byte[][] requests;
  private final byte[][] fingerprints;
  private final List<Kind> distinct = new ArrayList<>();
  private final Map<Kind, Short> numbers = new HashMap<>();

  /** What intents of one effect, of records of one partition, have in common. */
  private record Kind(
      boolean started,
      int retentionSeconds,
      String name,
      int topicId,
      int partition,
      @Nullable Long queue) {}

  /** Reads the intents; see {@link IntentColumns} for the group. */
  IntentRows(Collection<Intent> intents, List<InboxClaim> claims, String group) {
    int n = intents.size();
    kinds = new short[n];
    hashes = new byte[n][];
    keys = new byte[n][];
    messages = new StringBuilder(n * 37 + 2).append('{');
    offsets = new long[n];
    requests = new byte[n][];
    fingerprints = new byte[n][];
    int i = 0;
    Kind last = null;
    short lastNumber = 0;
    for (Intent intent : intents) {
      InboxClaim claim = claims.get(intent.message());
      Kind kind =
          new Kind(
              intent.startedAtOnce(claim),
              IntentColumns.retentionSeconds(intent),
              intent.effect(),
              claim.topicId(),
              claim.partition(),
              IntentColumns.queue(claim, group));
      if (!kind.equals(last)) {
        last = kind;
        lastNumber = number(kind);
      }
      kinds[i] = lastNumber;
      hashes[i] = intent.hash().bytes();
      keys[i] = intent.key().canonical();
      if (i > 0) {
        messages.append(',');
      }
      messages.append(claim.messageId());
      offsets[i] = claim.offset();
      requests[i] = intent.request();
      fingerprints[i] = intent.fingerprint();
      i++;
    }
    messages.append('}');
  }

  /** Counted from 1, as the server does. */
  private short number(Kind kind) {
    Short number = numbers.get(kind);
    if (number == null) {
      distinct.add(kind);
      number = (short) distinct.size();
      numbers.put(kind, number);
    }
    return number;
  }

  /** Whether any of them runs in turn. */
  boolean anyQueue() {
    return distinct.stream().map(Kind::queue).anyMatch(Objects::nonNull);
  }

  /** Binds them from a parameter on. */
  void bind(PreparedStatement statement, int parameter) throws SQLException {
    Connection connection = statement.getConnection();
    int p = parameter;
    statement.setObject(p++, kinds);
    statement.setArray(p++, SqlArrays.bytes(connection, hashes));
    statement.setArray(p++, SqlArrays.bytes(connection, keys));
    statement.setObject(p++, messages.toString(), Types.OTHER);
    statement.setObject(p++, offsets);
    statement.setArray(p++, SqlArrays.bytes(connection, requests));
    statement.setArray(p++, SqlArrays.bytes(connection, fingerprints));
    int n = distinct.size();
    short[] states = new short[n];
    int[] attempts = new int[n];
    int[] retentions = new int[n];
    String[] names = new String[n];
    short[] topics = new short[n];
    int[] partitions = new int[n];
    Long[] queues = new Long[n];
    for (int i = 0; i < n; i++) {
      Kind kind = distinct.get(i);
      states[i] = (kind.started() ? EffectState.STARTED : EffectState.PENDING).code();
      attempts[i] = kind.started() ? 1 : 0;
      retentions[i] = kind.retentionSeconds();
      names[i] = kind.name();
      topics[i] = (short) kind.topicId();
      partitions[i] = kind.partition();
      queues[i] = kind.queue();
    }
    statement.setObject(p++, states);
    statement.setObject(p++, attempts);
    statement.setObject(p++, retentions);
    statement.setArray(p++, SqlArrays.texts(connection, names));
    statement.setObject(p++, topics);
    statement.setObject(p++, partitions);
    statement.setArray(p, connection.createArrayOf("int8", queues));
  }
}
