package io.idembox.service;

import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PruneReport;
import io.idembox.inbox.Pruner;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;

/** What people do with the inbox itself, by command and by API. Thread-safe. */
final class InboxActions {
  private final Stores stores;

  InboxActions(Stores stores) {
    this.stores = stores;
  }

  /**
   * How large the inbox is.
   *
   * @param rows of all consumers, as the database estimates
   * @param bytesPerRow of table and index together
   */
  record Stats(
      long rows,
      long inboxBytes,
      long bytesPerRow,
      long journalRows,
      long journalBytes,
      long letterRows,
      long progressRows) {}

  Stats stats() {
    stores.consumer();
    return stores.query(
        """
        select i.reltuples::bigint, pg_total_relation_size(i.oid), e.reltuples::bigint,
          pg_total_relation_size(e.oid), (select count(*) from idembox.dead_letter),
          (select count(*) from idembox.progress)
        from pg_class i, pg_class e
        where i.oid = 'idembox.inbox'::regclass and e.oid = 'idembox.effect'::regclass
        """,
        select -> {},
        rows -> {
          rows.next();
          long inbox = Math.max(0, rows.getLong(1));
          return new Stats(
              inbox,
              rows.getLong(2),
              inbox == 0 ? 0 : rows.getLong(2) / inbox,
              Math.max(0, rows.getLong(3)),
              rows.getLong(4),
              rows.getLong(5),
              rows.getLong(6));
        });
  }

  /** What was removed. */
  record Pruned(long inboxRows, long effects, long letters, boolean anotherMemberPrunes) {}

  /** One walk through the whole inbox, in short slices. */
  Pruned prune() {
    Map<String, TopicDescription> topics = new KafkaView(stores).describe();
    Pruner pruner = stores.inbox().pruner(ConsumerAssembly.prunePolicy(stores.settings()));
    long rows = 0;
    long effects = 0;
    long letters = 0;
    PruneReport slice;
    do {
      slice = pruner.slice(known(stores, topics).values());
      rows += slice.inboxRows();
      effects += slice.effects();
      letters += slice.letters();
    } while (!slice.busy() && !slice.roundFinished());
    return new Pruned(rows, effects, letters, slice.busy());
  }

  /** What was forgotten. */
  record Forgotten(String topic, int partition, long from, long to, long messages) {}

  /**
   * Forgets what was done in a range of offsets: when the records come again, they are handled
   * again.
   *
   * @param to not included
   * @throws NotPossibleException if the consumer has never read the partition
   */
  Forgotten forget(String topic, int partition, long from, long to) {
    Map<TopicPartition, InboxPartition> known = known(stores, new KafkaView(stores).describe());
    InboxPartition at =
        Optional.ofNullable(known.get(new TopicPartition(topic, partition)))
            .orElseThrow(
                () ->
                    new NotPossibleException(
                        "consumer "
                            + stores.consumer().name()
                            + " has nothing of "
                            + topic
                            + "-"
                            + partition));
    return new Forgotten(
        topic,
        partition,
        from,
        to,
        stores.inbox().progress().forget(at, OffsetRanges.of(from, to)));
  }

  /** The partitions of these topics under the numbers that the inbox knows them by. */
  static Map<TopicPartition, InboxPartition> known(
      Stores stores, Map<String, TopicDescription> topics) {
    Map<TopicPartition, InboxPartition> known = new LinkedHashMap<>();
    topics.forEach(
        (name, topic) -> {
          Optional<Integer> id =
              stores.query(
                  "select id from idembox.topic where kafka_topic_id = ? and name = ?",
                  select -> {
                    select.setObject(1, KafkaView.id(topic.topicId()));
                    select.setString(2, name);
                  },
                  rows -> rows.next() ? Optional.of(rows.getInt(1)) : Optional.empty());
          if (id.isPresent()) {
            topic
                .partitions()
                .forEach(
                    partition ->
                        known.put(
                            new TopicPartition(name, partition.partition()),
                            new InboxPartition(id.get(), partition.partition())));
          }
        });
    return known;
  }
}
