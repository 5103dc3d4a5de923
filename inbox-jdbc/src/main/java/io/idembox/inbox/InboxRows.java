package io.idembox.inbox;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks rows up, for logs and for people; the hot path never reads them. */
final class InboxRows {
  private static final Logger log = LoggerFactory.getLogger(InboxRows.class);
  private static final int SAMPLED = 100;

  private static final String SELECT =
      """
      select i.message_id, i.topic_id, i.partition, i."offset", t.name, i.recorded_at
      from idembox.inbox i join idembox.topic t on t.id = i.topic_id
      where i.consumer_id = ? and i.message_id = any(?::uuid[])
      """;

  private final DataSource dataSource;
  private final RegisteredConsumer consumer;
  private final InboxMetrics metrics;
  private final AtomicInteger batches = new AtomicInteger();

  InboxRows(DataSource dataSource, RegisteredConsumer consumer, InboxMetrics metrics) {
    this.dataSource = dataSource;
    this.consumer = consumer;
    this.metrics = metrics;
  }

  Map<UUID, InboxRow> of(Collection<UUID> messageIds) {
    if (messageIds.isEmpty()) {
      return Map.of();
    }
    return Sql.single(
        dataSource,
        Phase.CLAIM,
        connection -> {
          try (PreparedStatement select = connection.prepareStatement(SELECT)) {
            select.setShort(1, consumer.id());
            select.setObject(2, SqlArrays.uuids(messageIds), Types.OTHER);
            Map<UUID, InboxRow> found = new HashMap<>();
            try (ResultSet rows = select.executeQuery()) {
              while (rows.next()) {
                InboxClaim claim = DeadLetterRows.claim(rows, 1);
                found.put(
                    claim.messageId(),
                    new InboxRow(
                        claim,
                        rows.getString(5),
                        rows.getObject(6, OffsetDateTime.class).toInstant()));
              }
            }
            return found;
          }
        });
  }

  /**
   * Ids that reach over topics may be used twice by accident, and the second message is then lost
   * as a duplicate. So the duplicates of one batch in a hundred are compared with the topics of
   * their rows.
   */
  void sample(List<InboxClaim> claims, BitSet fresh) {
    if (fresh.cardinality() == claims.size() || batches.getAndIncrement() % SAMPLED != 0) {
      return;
    }
    List<UUID> duplicates = new ArrayList<>();
    for (int i = 0; i < claims.size(); i++) {
      if (!fresh.get(i)) {
        duplicates.add(claims.get(i).messageId());
      }
    }
    try {
      compare(claims, of(duplicates));
    } catch (InboxStatementException e) {
      // The batch is committed, and this is only a look at it.
      log.debug("Consumer {}: duplicates could not be looked at", consumer.name(), e);
    }
  }

  private void compare(List<InboxClaim> claims, Map<UUID, InboxRow> rows) {
    int foreign = 0;
    InboxClaim example = null;
    for (InboxClaim claim : claims) {
      InboxRow row = rows.get(claim.messageId());
      if (row != null && row.claim().topicId() != claim.topicId()) {
        foreign++;
        example = claim;
      }
    }
    if (example != null) {
      InboxRow row = rows.get(example.messageId());
      metrics.refusedByAnotherTopic(foreign);
      log.info(
          "Consumer {}: {} duplicates of a batch were refused by rows from another topic, for instance id {}"
              + " at partition {} offset {}, handled as {}-{} offset {}. That is right for copies; otherwise"
              + " two topics use the same ids",
          consumer.name(),
          foreign,
          example.messageId(),
          example.partition(),
          example.offset(),
          row == null ? "?" : row.topic(),
          row == null ? -1 : row.claim().partition(),
          row == null ? -1 : row.claim().offset());
    }
  }
}
