package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.InMemoryEffectStore;
import io.idembox.effect.JsonEffectCodec;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.ConsumerRegistration;
import io.idembox.inbox.JdbcInbox;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.inbox.RegisteredConsumer;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** One batch against a real database, with the assignment driven by hand. */
@WithServers(Server.POSTGRES)
class BatchRunnerTest {
  private static final TransactionTimeouts TIMEOUTS =
      new TransactionTimeouts(
          Duration.ofMillis(250),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(60));

  private static final FetchedRecord FIRST = record();
  private static final EffectHealth HEALTHY =
      new EffectHealth(new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(2)));

  private final PartitionWork work =
      new PartitionWork(new TopicPartition("orders", 0), LaneLimits.DEFAULTS);
  private final DataSource database;
  private final JdbcInbox jdbc;
  private final RegisteredConsumer consumer;

  BatchRunnerTest(TestScope scope) {
    database =
        scope
            .postgres(
                "runtime",
                empty -> {
                  IdemboxSchema.of(empty).migrate();
                  Sink.createTables(empty);
                })
            .dataSource();
    MessageIdResolver ids = MessageIdResolver.builder().build();
    jdbc = JdbcInbox.builder(database).build();
    consumer =
        jdbc.register(new ConsumerRegistration("billing", "billing", null, ids.fingerprint()));
  }

  /** The new owner may be handling the records already: only one of the two may commit. */
  @Test
  void aBatchWhoseAssignmentEndsWhileItRunsIsRolledBack() {
    BatchRunner runner =
        runner(
            (message, tx) -> {
              tx.enqueue("insert into ledger(order_id, message_id) values ('o', ?)", message.id());
              work.end();
            });

    assertThatExceptionOfType(AssignmentEndedException.class)
        .isThrownBy(() -> runner.run(batch()))
        .withMessageContaining("orders-0");

    assertThat(DatabaseRows.count(database, "select count(*) from ledger")).isZero();
    assertThat(DatabaseRows.count(database, "select count(*) from idembox.inbox")).isZero();
  }

  @Test
  void aBatchWhoseAssignmentLastsIsCommitted() throws Exception {
    BatchRunner runner =
        runner(
            (message, tx) ->
                tx.enqueue(
                    "insert into ledger(order_id, message_id) values ('o', ?)", message.id()));

    runner.run(batch());

    assertThat(DatabaseRows.count(database, "select count(*) from ledger")).isEqualTo(1);
    assertThat(DatabaseRows.count(database, "select count(*) from idembox.inbox")).isEqualTo(1);
  }

  /**
   * Redelivered after a crash between commit and effect, a record owes its effect: the batch itself
   * performs it before its offset is committed, and leaves it to no sweeper.
   */
  @Test
  void aDuplicateBatchPerformsTheEffectsThatItStillOwes() throws Exception {
    AtomicInteger sent = new AtomicInteger();
    ScriptedEffect mail =
        new ScriptedEffect(EffectPolicy.defaults(), attempt -> "sent " + sent.incrementAndGet());
    try (EffectGuard guard =
        EffectGuard.builder(new InMemoryEffectStore()).namespace(consumer.namespace()).build()) {
      ConsumerInbox owing = jdbc.open(consumer, EffectCatalog.of(mail), guard);
      EffectRunner stopped = effects(owing, mail, guard);
      stopped.stop();
      FetchedRecord fetched = record();
      InboxHandler<byte[]> handler =
          (message, tx) ->
              tx.effects().afterCommit(Sink.MAIL, EffectKey.of("mail").id("o"), new Sink.Mail("o"));

      runner(owing, stopped, handler).run(batch(work, fetched));
      assertThat(sent).as("its member was about to stop").hasValue(0);

      PartitionWork redelivered =
          new PartitionWork(new TopicPartition("orders", 0), LaneLimits.DEFAULTS);
      runner(owing, effects(owing, mail, guard), handler).run(batch(redelivered, fetched));

      assertThat(sent).hasValue(1);
      assertThat(owing.journal().unfinished()).isZero();
    }
  }

  /** After an unclean end: who knows whether it was this record that ended the process. */
  @Test
  void aRecordThatEndsTheProcessEachTimeIsRefusedInTheEnd() {
    BatchRunner dies =
        runner(
            (message, tx) -> {
              throw new ThreadDeathInTest();
            });
    for (int start = 0; start < 3; start++) {
      PartitionWork afterACrash = unclean();
      // The failure never reaches the policy, as in a process that is gone.
      assertThatExceptionOfType(RecordFailedException.class)
          .isThrownBy(() -> dies.run(batch(afterACrash, FIRST)))
          .withCauseInstanceOf(ThreadDeathInTest.class);
    }

    assertThatExceptionOfType(RecordFailedException.class)
        .isThrownBy(() -> dies.run(batch(unclean(), FIRST)))
        .withCauseInstanceOf(ProcessEndedException.class)
        .havingCause()
        .withMessageContaining("orders-0@0")
        .withMessageContaining("3 times");
  }

  @Test
  void aCarefulAttemptThatSucceedsLeavesNoNote() throws Exception {
    BatchRunner fine = runner((message, tx) -> {});

    fine.run(batch(unclean(), FIRST));
    assertThat(DatabaseRows.count(database, "select count(*) from idembox.attempt")).isZero();

    fine.run(batch(unclean(), FIRST));
    assertThat(DatabaseRows.count(database, "select count(*) from idembox.attempt"))
        .as("a duplicate's")
        .isZero();
  }

  private static final class ThreadDeathInTest extends Error {
    private static final long serialVersionUID = 1L;
  }

  private static PartitionWork unclean() {
    PartitionWork unclean = new PartitionWork(new TopicPartition("orders", 0), LaneLimits.DEFAULTS);
    unclean.uncleanStart(1);
    return unclean;
  }

  private static FetchedRecord record() {
    return new FetchedRecord(
        new ConsumerRecord<>("orders", 0, 0, new byte[0], new byte[] {1}), UUID.randomUUID());
  }

  private Batch batch() {
    return batch(work, record());
  }

  private static Batch batch(PartitionWork work, FetchedRecord fetched) {
    work.offer(List.of(fetched), new OffsetAndMetadata(1));
    assertThat(work.tryStartTurn()).isTrue();
    return work.nextBatch().orElseThrow();
  }

  private BatchRunner runner(InboxHandler<byte[]> handler) {
    ConsumerInbox inbox = jdbc.open(consumer, EffectCatalog.of(), null);
    EffectRunner none =
        new EffectRunner(
            inbox.journal(),
            EffectCatalog.of(),
            null,
            new JsonEffectCodec(),
            leases(inbox),
            HEALTHY);
    return runner(inbox, none, handler);
  }

  private static EffectRunner effects(ConsumerInbox inbox, Effect<?, ?> effect, EffectGuard guard) {
    return new EffectRunner(
        inbox.journal(),
        EffectCatalog.of(effect),
        guard,
        new JsonEffectCodec(),
        leases(inbox),
        HEALTHY);
  }

  private static JournalLeases leases(ConsumerInbox inbox) {
    return new JournalLeases("billing", inbox.journal(), Duration.ofSeconds(30));
  }

  private static BatchRunner runner(
      ConsumerInbox inbox, EffectRunner effects, InboxHandler<byte[]> handler) {
    Subscription subscription = Subscription.topics("orders").decodedBy(Decoders.bytes(), handler);
    return new BatchRunner(
        inbox,
        MessageIdResolver.builder().build(),
        new Routes(List.of(subscription)),
        effects,
        report -> {},
        new ConsumerMetrics(new SimpleMeterRegistry(), "billing"),
        new ProcessSpans(OpenTelemetry.noop(), "billing"),
        TIMEOUTS,
        new FailedRecords(inbox, MessageIdResolver.builder().build(), 3),
        new LetterRetries(
            inbox,
            MessageIdResolver.builder().build(),
            new Routes(List.of(subscription)),
            effects,
            new ProcessSpans(OpenTelemetry.noop(), "billing"),
            new FailureClassifier(failure -> FailureJudge.Verdict.UNDECIDED)),
        new HandlerHealth("billing", new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(2))));
  }
}
