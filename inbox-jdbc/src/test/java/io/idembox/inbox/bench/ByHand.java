package io.idembox.inbox.bench;

import io.idembox.inbox.InboxClaim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** What somebody writes who knows the statement, as an array claim and a batch of inserts. */
final class ByHand {
  static final String LEDGER = "insert into ledger(order_id, amount) values (?, ?)";

  private static final String CLAIM =
      """
      insert into idembox.inbox (consumer_id, message_id, topic_id, partition, "offset")
      select ?, c.id, c.topic_id, c.partition, c."offset"
      from unnest(?::uuid[], ?::int2[], ?::int4[], ?::int8[]) as c(id, topic_id, partition, "offset")
      order by c.id
      on conflict do nothing
      returning message_id
      """;

  private final FigureDatabase database;

  ByHand(FigureDatabase database) {
    this.database = database;
  }

  /** The statement alone, in auto-commit. */
  int claim(List<InboxClaim> claims) throws SQLException {
    try (Connection connection = database.pool.getConnection()) {
      return claim(connection, claims).size();
    }
  }

  /** One transaction: the claim, then a JDBC batch for those that are new. */
  void claimAndWrite(List<InboxClaim> claims) throws SQLException {
    try (Connection connection = database.pool.getConnection()) {
      connection.setAutoCommit(false);
      Set<UUID> fresh = claim(connection, claims);
      try (PreparedStatement insert = connection.prepareStatement(LEDGER)) {
        for (int i = 0; i < claims.size(); i++) {
          if (fresh.contains(claims.get(i).messageId())) {
            insert.setString(1, "order-" + claims.get(i).offset());
            insert.setInt(2, i);
            insert.addBatch();
          }
        }
        insert.executeBatch();
      }
      connection.commit();
    }
  }

  private Set<UUID> claim(Connection connection, List<InboxClaim> claims) throws SQLException {
    int n = claims.size();
    UUID[] ids = new UUID[n];
    Short[] topics = new Short[n];
    Integer[] partitions = new Integer[n];
    Long[] offsets = new Long[n];
    for (int i = 0; i < n; i++) {
      InboxClaim claim = claims.get(i);
      ids[i] = claim.messageId();
      topics[i] = (short) claim.topicId();
      partitions[i] = claim.partition();
      offsets[i] = claim.offset();
    }
    try (PreparedStatement statement = connection.prepareStatement(CLAIM)) {
      statement.setShort(1, database.consumer.id());
      statement.setArray(2, connection.createArrayOf("uuid", ids));
      statement.setArray(3, connection.createArrayOf("int2", topics));
      statement.setArray(4, connection.createArrayOf("int4", partitions));
      statement.setArray(5, connection.createArrayOf("int8", offsets));
      Set<UUID> fresh = new HashSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          fresh.add(rows.getObject(1, UUID.class));
        }
      }
      return fresh;
    }
  }
}
