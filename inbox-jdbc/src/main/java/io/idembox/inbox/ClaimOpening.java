package io.idembox.inbox;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.BitSet;
import java.util.UUID;

/** The bulk claim. */
final class ClaimOpening implements Opening {
  /**
   * Two members that claim the same ids meet at the first of them in order, so they wait instead of
   * deadlocking; what waits for a running transaction inserts when that one rolls back. Offsets
   * inside stored done ranges are left out, because their rows may have been pruned; as a rule the
   * batch lies outside of them, which is seen once for each partition.
   */
  private static final String SQL =
      SessionSql.opening(
          """
          with covered as materialized (
            select d.topic_id, d.partition, p.done
            from unnest(?::int2[], ?::int4[], ?::int8[], ?::int8[]) as d(topic_id, partition, lowest, highest)
            cross join lateral (
              select done from idembox.progress
              where consumer_id = ? and topic_id = d.topic_id and partition = d.partition
              offset 0) p
            where p.done && int8range(d.lowest, d.highest, '[]')
          )
          insert into idembox.inbox (consumer_id, message_id, topic_id, partition, "offset")
          select ?, c.id, c.topic_id, c.partition, c."offset"
          from unnest(?::uuid[], ?::int2[], ?::int4[], ?::int8[]) as c(id, topic_id, partition, "offset")
          where not exists (select from covered)
            or not exists (
              select from covered d
              where d.topic_id = c.topic_id and d.partition = c.partition and d.done @> c."offset")
          order by c.id
          on conflict (consumer_id, message_id) do nothing
          returning message_id
          """);

  private final short consumer;
  private final ClaimIndex claims;

  ClaimOpening(short consumer, ClaimIndex claims) {
    this.consumer = consumer;
    this.claims = claims;
  }

  @Override
  public String sql() {
    return SQL;
  }

  @Override
  public Phase phase() {
    return Phase.CLAIM;
  }

  @Override
  public int bind(PreparedStatement statement, int parameter) throws SQLException {
    int n = claims.size();
    short[] topics = new short[n];
    int[] partitions = new int[n];
    long[] offsets = new long[n];
    DistinctPartitions distinct = new DistinctPartitions();
    for (int i = 0; i < n; i++) {
      InboxClaim claim = claims.distinct(i);
      topics[i] = (short) claim.topicId();
      partitions[i] = claim.partition();
      offsets[i] = claim.offset();
      distinct.add(topics[i], partitions[i], offsets[i]);
    }
    int p = parameter;
    statement.setObject(p++, distinct.topics());
    statement.setObject(p++, distinct.partitions());
    statement.setObject(p++, distinct.lowest());
    statement.setObject(p++, distinct.highest());
    statement.setShort(p++, consumer);
    statement.setShort(p++, consumer);
    statement.setObject(p++, claims.ids(), Types.OTHER);
    statement.setObject(p++, topics);
    statement.setObject(p++, partitions);
    statement.setObject(p++, offsets);
    return p;
  }

  @Override
  public BitSet fresh(ResultSet rows) throws SQLException {
    if (rows.last() && rows.getRow() == claims.size()) {
      // As a rule everything is new, and the ids need not be read.
      return claims.allDistinct();
    }
    rows.beforeFirst();
    BitSet fresh = new BitSet();
    while (rows.next()) {
      fresh.set(claims.indexOf(rows.getObject(1, UUID.class)));
    }
    return fresh;
  }
}
