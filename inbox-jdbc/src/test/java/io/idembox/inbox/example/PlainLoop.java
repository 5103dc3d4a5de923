package io.idembox.inbox.example;

import io.idembox.effect.EffectCall;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectOutcome;
import io.idembox.effect.JsonEffectCodec;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.DeadLetterContent;
import io.idembox.inbox.DeadLetterDraft;
import io.idembox.inbox.DeadLetterError;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.GrowthResult;
import io.idembox.inbox.InboxClaim;
import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.InboxRun;
import io.idembox.inbox.InboxTransaction;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.inbox.MessageIdentity;
import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PartitionProgress;
import io.idembox.inbox.ProgressGrowth;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inbox under a loop of one's own: kafka-clients, one thread, no framework. What a framework
 * adds is in {@code consumer-runtime}: lanes, batches that fit the handler, bounded retries, topics
 * made again, start positions.
 */
final class PlainLoop {
  private static final Logger log = LoggerFactory.getLogger(PlainLoop.class);

  private final Consumer<byte[], byte[]> consumer;
  private final ConsumerInbox inbox;
  private final EffectGuard guard;
  private final InvoiceMail mail;
  private final Map<String, UUID> topicIds;
  private final MessageIdResolver resolver = MessageIdResolver.defaults();
  private final JsonEffectCodec codec = new JsonEffectCodec();

  /**
   * A loop.
   *
   * @param topicIds the ids that the broker gave the topics, from {@code Admin.describeTopics}
   */
  PlainLoop(
      Consumer<byte[], byte[]> consumer,
      ConsumerInbox inbox,
      EffectGuard guard,
      InvoiceMail mail,
      Map<String, UUID> topicIds) {
    this.consumer = consumer;
    this.inbox = inbox;
    this.guard = guard;
    this.mail = mail;
    this.topicIds = topicIds;
  }

  // README: handler
  private static void handle(ConsumerRecord<byte[], byte[]> record, InboxTransaction tx) {
    if (record.value() == null) {
      return; // a tombstone
    }
    String order = new String(record.value(), StandardCharsets.UTF_8);
    tx.enqueue("insert into ledger(order_id) values (?)", order);
    tx.effects().afterCommit(InvoiceMail.NAME, EffectKey.of("mail.invoice").id(order), order);
  }

  // README: end

  // README: loop
  void run(BooleanSupplier stopped) throws InterruptedException {
    while (!stopped.getAsBoolean()) {
      ConsumerRecords<byte[], byte[]> polled = consumer.poll(Duration.ofMillis(200));
      try {
        for (TopicPartition partition : polled.partitions()) {
          work(partition, polled);
        }
        settle(inbox.journal().takeDue(100, Duration.ofMinutes(1)));
        inbox.heartbeat();
      } catch (Exception e) {
        // Not a record's fault: a server is away, a lock is held, a rebalance came in between. The
        // consumer's position is past what was polled, so go back; what is done will be skipped.
        log.warn("Reading again what was polled last", e);
        for (TopicPartition partition : polled.partitions()) {
          if (consumer.assignment().contains(partition)) {
            consumer.seek(partition, polled.records(partition).get(0).offset());
          }
        }
        Thread.sleep(500);
      }
    }
  }

  private void work(TopicPartition partition, ConsumerRecords<byte[], byte[]> polled)
      throws Exception {
    UUID topicId = topicIds.get(partition.topic());
    InboxPartition stored =
        new InboxPartition(inbox.topicId(topicId, partition.topic()), partition.partition());
    PartitionProgress known = inbox.progress().read(List.of(stored)).get(0);

    List<InboxClaim> claims = new ArrayList<>();
    List<ConsumerRecord<byte[], byte[]>> claimed = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : polled.records(partition)) {
      int epoch = record.leaderEpoch().orElse(-1);
      if (epoch > known.leaderEpoch()) {
        known = inbox.progress().cut(known, record.offset(), epoch); // the log may be another one
        if (known.leaderEpoch() < epoch) {
          throw new IllegalStateException("Somebody cut the progress of " + partition + " first");
        }
      }
      if (known.done().contains(record.offset())) {
        continue; // skipped without a query
      }
      MessageIdentity identity = resolver.resolve(new KafkaRecord(record, topicId));
      InboxClaim claim =
          new InboxClaim(identity.id(), stored.topicId(), record.partition(), record.offset());
      if (identity instanceof MessageIdentity.Unusable unusable) {
        giveUp(claim, record, DeadLetterError.of(unusable.reason(), "unusable id", ""));
      } else {
        claims.add(claim);
        claimed.add(record);
      }
    }

    int timeline = known.serverTimeline();
    if (!claims.isEmpty()) {
      InboxRun run =
          inbox.runSplitting(
              claims,
              batch -> {
                for (int i : batch.fresh()) {
                  handle(claimed.get(i), batch.begin(i));
                }
              },
              (i, e) ->
                  giveUp(claims.get(i), claimed.get(i), DeadLetterError.of("handler failed", e)));
      settle(run.intents());
      timeline = run.timeline() == 0 ? timeline : run.timeline();
    }

    // Progress first, then the offset that it covers: what lies between the two is skipped, not
    // lost. nextOffsets() knows the holes that transactions and compaction leave.
    OffsetAndMetadata next = polled.nextOffsets().get(partition);
    OffsetRanges finished =
        OffsetRanges.of(polled.records(partition).get(0).offset(), next.offset());
    GrowthResult grown =
        inbox.progress().grow(List.of(ProgressGrowth.done(known, finished, timeline))).get(0);
    if (grown.kind() != GrowthResult.Kind.GROWN) {
      throw new IllegalStateException("Somebody cut the progress of " + partition + " meanwhile");
    }
    consumer.commitSync(Map.of(partition, next));
  }

  private void giveUp(
      InboxClaim claim, ConsumerRecord<byte[], byte[]> record, DeadLetterError why) {
    List<DeadLetterContent.Header> headers = new ArrayList<>();
    record.headers().forEach(h -> headers.add(new DeadLetterContent.Header(h.key(), h.value())));
    DeadLetterContent content =
        new DeadLetterContent(
            record.key(), record.value(), headers, Instant.ofEpochMilli(record.timestamp()));
    inbox.deadLetters().record(new DeadLetterDraft(claim, content, why, 1, null));
  }

  // README: end

  // README: effects
  private void settle(List<JournalEntry> owed) throws Exception {
    List<EffectCall<String>> calls = new ArrayList<>();
    for (JournalEntry entry : owed) {
      String request = Optional.ofNullable(codec.decode(entry.request(), String.class)).orElse("");
      calls.add(
          new EffectCall<>(entry.key(), request, entry.attempt(), entry.earlierAttemptUnknown()));
    }
    List<EffectOutcome<String>> outcomes = guard.tryOnceAll(mail, calls);
    List<Settlement> settlements = new ArrayList<>();
    for (int i = 0; i < owed.size(); i++) {
      settlements.add(settlement(owed.get(i), outcomes.get(i)));
    }
    inbox.journal().settle(settlements);
  }

  private static Settlement settlement(JournalEntry entry, EffectOutcome<String> outcome) {
    Duration later = Duration.ofSeconds(10);
    return switch (outcome.kind()) {
      case PERFORMED, REPLAYED -> Settlement.done(entry, null);
      case REJECTED -> Settlement.rejected(entry, outcome.toString());
      case NOT_PERFORMED -> Settlement.retryAt(entry, later, outcome.toString());
      case IN_DOUBT -> Settlement.inDoubt(entry, later, outcome.toString());
      case IN_PROGRESS, UNAVAILABLE -> Settlement.postponed(entry, later, outcome.toString());
      case MISMATCH -> Settlement.held(entry, outcome.toString());
    };
  }
  // README: end
}
