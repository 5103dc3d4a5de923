package io.idembox.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The consumers whose rows this one builds anew, and what they have done. Thread-safe. */
final class Predecessors {
  /**
   * Done is what has a row, or lies inside of the done ranges, whose rows may be pruned; not what
   * is a dead letter still. Records of a later leader than the ranges know may stand where others
   * were done before the log was truncated; without an id of the topic, nobody knows whether it was
   * made again. An unknown leader (-1) speaks against nothing: of the two mistakes, a second mail
   * is the one that a rebuild must not make.
   */
  private static final String DONE =
      """
      select c.n::int
      from unnest(?::uuid[], ?::int2[], ?::int4[], ?::int8[], ?::int4[]) with ordinality
        as c(id, topic_id, partition, "offset", epoch, n)
      where exists (
        select from unnest(?::int2[]) as o(id)
        where (exists (select from idembox.inbox i where i.consumer_id = o.id and i.message_id = c.id)
            or exists (
              select from idembox.progress p join idembox.topic t on t.id = p.topic_id
              where p.consumer_id = o.id and p.topic_id = c.topic_id and p.partition = c.partition
                and p.done @> c."offset" and c.epoch <= p.leader_epoch
                and t.kafka_topic_id <> '00000000-0000-0000-0000-000000000000'))
          and not exists (
            select from idembox.dead_letter d
            where d.consumer_id = o.id and d.message_id = c.id and d.state in (0, 1)))
      """;

  private final List<Short> consumers;

  Predecessors(List<Short> consumers) {
    this.consumers = consumers;
  }

  boolean isEmpty() {
    return consumers.isEmpty();
  }

  /**
   * Which of these messages they have done.
   *
   * @param leaderEpochs of the claims' records, -1 where unknown; null if all are
   */
  BitSet done(Connection connection, List<InboxClaim> claims, int @Nullable [] leaderEpochs)
      throws SQLException {
    BitSet done = new BitSet(claims.size());
    if (isEmpty() || claims.isEmpty()) {
      return done;
    }
    int n = claims.size();
    short[] topics = new short[n];
    int[] partitions = new int[n];
    long[] offsets = new long[n];
    int[] epochs = new int[n];
    for (int i = 0; i < n; i++) {
      InboxClaim claim = claims.get(i);
      topics[i] = (short) claim.topicId();
      partitions[i] = claim.partition();
      offsets[i] = claim.offset();
      epochs[i] = leaderEpochs == null ? -1 : leaderEpochs[i];
    }
    short[] ids = new short[consumers.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = consumers.get(i);
    }
    try (PreparedStatement select = connection.prepareStatement(DONE)) {
      select.setObject(
          1, SqlArrays.uuids(claims.stream().map(InboxClaim::messageId).toList()), Types.OTHER);
      select.setObject(2, topics);
      select.setObject(3, partitions);
      select.setObject(4, offsets);
      select.setObject(5, epochs);
      select.setObject(6, ids);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          done.set(rows.getInt(1) - 1);
        }
      }
    }
    return done;
  }
}
