package io.idembox.service;

import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.PartitionProgress;
import io.idembox.inbox.RegisteredConsumer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;

/**
 * How a consumer stands, as Kafka and the database see it: for all its members together, and when
 * none runs too.
 *
 * @param effects counts of the journal by state
 * @param deadLetters counts by state
 */
record StatusReport(
    String consumer,
    String group,
    String groupState,
    int members,
    String namespace,
    Map<String, Long> effects,
    Map<String, Long> deadLetters,
    List<Partition> partitions) {

  /**
   * One partition.
   *
   * @param committed the group's offset; null without one
   * @param lag records between the group's offset, or the log's start, and its end
   * @param done offsets that are known to be done
   * @param held whether a member holds it, or ended without letting go
   */
  record Partition(
      String topic,
      int partition,
      @Nullable Long committed,
      long start,
      long end,
      long lag,
      String done,
      boolean held) {}

  static StatusReport of(Stores stores) {
    RegisteredConsumer consumer = stores.consumer();
    KafkaView kafka = new KafkaView(stores);
    Map<String, TopicDescription> topics = kafka.describe();
    Map<TopicPartition, OffsetAndMetadata> committed = kafka.committed();
    List<TopicPartition> partitions = KafkaView.partitions(topics);
    Map<TopicPartition, Long> start = kafka.offsets(partitions, OffsetSpec.earliest());
    Map<TopicPartition, Long> end = kafka.offsets(partitions, OffsetSpec.latest());
    Map<TopicPartition, PartitionProgress> progress = progress(stores, topics);
    List<Partition> rows = new ArrayList<>();
    partitions.stream()
        .sorted(
            Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition))
        .forEach(
            at -> {
              OffsetAndMetadata offset = committed.get(at);
              PartitionProgress known = progress.get(at);
              long first = start.getOrDefault(at, 0L);
              long last = end.getOrDefault(at, 0L);
              rows.add(
                  new Partition(
                      at.topic(),
                      at.partition(),
                      offset == null ? null : offset.offset(),
                      first,
                      last,
                      Math.max(0, last - (offset == null ? first : offset.offset())),
                      known == null ? "" : known.done().toString(),
                      known != null && known.open() != null));
            });
    GroupState group = GroupState.of(kafka);
    return new StatusReport(
        consumer.name(),
        kafka.groupId(),
        group.state(),
        group.members(),
        consumer.namespace(),
        effects(stores),
        letters(stores),
        rows);
  }

  /** A group and how many members it has. */
  record GroupState(String state, int members) {
    /** For people. */
    String counted() {
      return StatusReport.counted(members);
    }

    static GroupState of(KafkaView kafka) {
      return find(kafka)
          .map(
              group ->
                  new GroupState(
                      group.groupState().toString().toLowerCase(java.util.Locale.ROOT),
                      group.members().size()))
          .orElse(new GroupState("none", 0));
    }

    /** Empty where there is no such group. */
    static Optional<ConsumerGroupDescription> find(KafkaView kafka) {
      try {
        return Optional.of(kafka.group());
      } catch (GroupIdNotFoundException e) {
        return Optional.empty();
      }
    }
  }

  private static Map<TopicPartition, PartitionProgress> progress(
      Stores stores, Map<String, TopicDescription> topics) {
    Map<TopicPartition, InboxPartition> known = InboxActions.known(stores, topics);
    Map<TopicPartition, PartitionProgress> progress = new LinkedHashMap<>();
    if (known.isEmpty()) {
      return progress;
    }
    List<PartitionProgress> read = stores.inbox().progress().read(List.copyOf(known.values()));
    Map<InboxPartition, PartitionProgress> byPartition = new LinkedHashMap<>();
    read.forEach(one -> byPartition.put(one.partition(), one));
    known.forEach(
        (at, partition) -> {
          PartitionProgress one = byPartition.get(partition);
          if (one != null) {
            progress.put(at, one);
          }
        });
    return progress;
  }

  private static Map<String, Long> effects(Stores stores) {
    // Finished ones are many, and their number tells nothing: only what is owed, or waits for
    // somebody.
    return stores.query(
        """
        with n as materialized (select id from idembox.effect_namespace where name = ?)
        select (array['pending', 'started', 'done', 'in-doubt', 'held', 'failed', 'rejected'])[state + 1], count(*)
        from (
          select e.state from n, idembox.effect e where e.namespace_id = n.id and e.sweep_at is not null
          union all
          select e.state from n, idembox.effect e where e.namespace_id = n.id and e.listed in (4, 5)
          union all
          select state from (
            select distinct e.id, e.state
            from n join idembox.effect_flight f on f.namespace_id = n.id
              cross join lateral (
                select e.id, e.state from idembox.effect e
                where e.id between f.first_id and f.last_id and e.namespace_id = f.namespace_id
                  and e.due_at is not null and e.sweep_at is null
                offset 0) e) flying) counted
        group by state order by state
        """,
        select -> select.setString(1, stores.consumer().namespace()),
        rows -> {
          Map<String, Long> counts = new LinkedHashMap<>();
          while (rows.next()) {
            counts.put(rows.getString(1), rows.getLong(2));
          }
          return counts;
        });
  }

  private static Map<String, Long> letters(Stores stores) {
    return stores.query(
        """
        select (array['open', 'held', 'retried', 'discarded'])[state + 1], count(*)
        from idembox.dead_letter where consumer_id = ? group by state
        """,
        select -> select.setShort(1, stores.consumer().id()),
        rows -> {
          Map<String, Long> counts = new TreeMap<>();
          while (rows.next()) {
            counts.put(rows.getString(1), rows.getLong(2));
          }
          return counts;
        });
  }

  private static String counted(int members) {
    return members == 1 ? "1 member" : members + " members";
  }

  /** For people. */
  String text() {
    Table head = Table.of("consumer", consumer);
    head.row("group", group + " (" + groupState + ", " + counted(members) + ")");
    head.row("effect namespace", namespace);
    head.row("effects unsettled", effects.isEmpty() ? "none" : counts(effects));
    head.row("dead letters", deadLetters.isEmpty() ? "none" : counts(deadLetters));
    Table table = Table.of("PARTITION", "COMMITTED", "LAG", "LOG", "DONE", "HELD");
    for (Partition one : partitions) {
      table.row(
          one.topic() + "-" + one.partition(),
          one.committed(),
          one.lag(),
          one.start() + ".." + one.end(),
          one.done(),
          one.held() ? "yes" : "no");
    }
    return head + "\n" + table;
  }

  private static String counts(Map<String, Long> counts) {
    List<String> parts = new ArrayList<>();
    counts.forEach((state, count) -> parts.add(count + " " + state));
    return String.join(", ", parts);
  }
}
