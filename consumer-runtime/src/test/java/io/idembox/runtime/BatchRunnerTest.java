package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.JsonEffectCodec;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.ConsumerRegistration;
import io.idembox.inbox.JdbcInbox;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** One batch against a real database, with the assignment driven by hand. */
@WithServers(Server.POSTGRES)
class BatchRunnerTest {
  private final PartitionWork work =
      new PartitionWork(new TopicPartition("orders", 0), LaneLimits.DEFAULTS);
  private final DataSource database;
  private final ConsumerInbox inbox;

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
    JdbcInbox jdbc = JdbcInbox.builder(database).build();
    inbox =
        jdbc.open(
            jdbc.register(new ConsumerRegistration("billing", "billing", null, ids.fingerprint())),
            EffectCatalog.of(),
            null);
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

  private Batch batch() {
    FetchedRecord fetched =
        new FetchedRecord(
            new ConsumerRecord<>("orders", 0, 0, new byte[0], new byte[] {1}), UUID.randomUUID());
    work.offer(List.of(fetched), new OffsetAndMetadata(1));
    assertThat(work.tryStartTurn()).isTrue();
    return work.nextBatch().orElseThrow();
  }

  private BatchRunner runner(InboxHandler<byte[]> handler) {
    Subscription subscription = Subscription.topics("orders").decodedBy(Decoders.bytes(), handler);
    return new BatchRunner(
        inbox,
        MessageIdResolver.builder().build(),
        new Routes(List.of(subscription)),
        new EffectRunner(
            inbox.journal(),
            EffectCatalog.of(),
            null,
            new JsonEffectCodec(),
            new JournalLeases("billing", inbox.journal(), Duration.ofSeconds(30))),
        report -> {},
        new ConsumerMetrics(new SimpleMeterRegistry(), "billing"),
        new ProcessSpans(OpenTelemetry.noop(), "billing"));
  }
}
