package io.idembox.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Intents as the arrays that reopening takes: an array for each column, since they are few. */
final class IntentColumns {
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final short[] states;
  private final int[] attempts;
  private final long[] leases;
  private final int[] retentions;
  private final byte[][] hashes;
  private final String[] names;
  private final StringBuilder messages = new StringBuilder("{");
  private final short[] topics;
  private final int[] partitions;
  private final long[] offsets;
  private final byte[][] requests;
  private final byte[][] fingerprints;
  private final @Nullable Long[] queues;

  /**
   * Reads the intents.
   *
   * @param group tells queues of consumers apart that share a namespace: one does not wait for
   *     another
   */
  IntentColumns(Collection<Intent> intents, List<InboxClaim> claims, Duration lease, String group) {
    int n = intents.size();
    states = new short[n];
    attempts = new int[n];
    leases = new long[n];
    retentions = new int[n];
    hashes = new byte[n][];
    names = new String[n];
    topics = new short[n];
    partitions = new int[n];
    offsets = new long[n];
    requests = new byte[n][];
    fingerprints = new byte[n][];
    queues = new Long[n];
    int i = 0;
    for (Intent intent : intents) {
      InboxClaim claim = claims.get(intent.message());
      boolean started = intent.startedAtOnce(claim);
      states[i] = (started ? EffectState.STARTED : EffectState.PENDING).code();
      attempts[i] = started ? 1 : 0;
      leases[i] = lease.toMillis();
      retentions[i] = retentionSeconds(intent);
      hashes[i] = intent.hash().bytes();
      names[i] = intent.effect();
      messages.append(i == 0 ? "" : ",").append(claim.messageId());
      topics[i] = (short) claim.topicId();
      partitions[i] = claim.partition();
      offsets[i] = claim.offset();
      requests[i] = intent.request();
      fingerprints[i] = intent.fingerprint();
      queues[i] = queue(claim, group);
      i++;
    }
    messages.append('}');
  }

  static int retentionSeconds(Intent intent) {
    return Math.toIntExact(Math.max(1, intent.policy().retention().toSeconds()));
  }

  /** Of the group and not of the consumer's name: a consumer that is renamed keeps its group. */
  static @Nullable Long queue(InboxClaim claim, String group) {
    Long queue = claim.queue();
    return queue == null ? null : Long.valueOf(queue ^ group.hashCode() * SPREAD);
  }

  /** Whether any of them runs in turn. */
  boolean anyQueue() {
    return Arrays.stream(queues).anyMatch(Objects::nonNull);
  }

  /**
   * Binds the columns from a parameter on.
   *
   * @return the parameter after the last
   */
  int bind(PreparedStatement statement, int parameter) throws SQLException {
    Connection connection = statement.getConnection();
    int p = parameter;
    statement.setObject(p++, states);
    statement.setObject(p++, attempts);
    statement.setObject(p++, leases);
    statement.setObject(p++, retentions);
    statement.setArray(p++, SqlArrays.bytes(connection, hashes));
    statement.setArray(p++, SqlArrays.texts(connection, names));
    statement.setObject(p++, messages.toString(), Types.OTHER);
    statement.setObject(p++, topics);
    statement.setObject(p++, partitions);
    statement.setObject(p++, offsets);
    statement.setArray(p++, SqlArrays.bytes(connection, requests));
    statement.setArray(p++, SqlArrays.bytes(connection, fingerprints));
    statement.setArray(p++, connection.createArrayOf("int8", queues));
    return p;
  }
}
