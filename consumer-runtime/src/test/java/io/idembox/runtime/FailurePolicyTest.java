package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectStoreException;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.ConsumerRegistration;
import io.idembox.inbox.JdbcInbox;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Failures of one record, one after the other, without waiting for the pauses between them. */
@WithServers(Server.POSTGRES)
class FailurePolicyTest {
  private static final Backoff SHORT = new Backoff(Duration.ofMillis(1), Duration.ofMillis(1));

  private final PartitionWork work =
      new PartitionWork(new TopicPartition("orders", 0), LaneLimits.DEFAULTS);
  private final HandlerHealth health = new HandlerHealth("billing", SHORT);
  private final DataSource database;
  private final MessageIdResolver ids = MessageIdResolver.builder().build();
  private final ConsumerInbox inbox;
  private final FailurePolicy policy;

  FailurePolicyTest(TestScope scope) {
    database = scope.postgres("policy", empty -> IdemboxSchema.of(empty).migrate()).dataSource();
    JdbcInbox jdbc = JdbcInbox.builder(database).build();
    inbox =
        jdbc.open(
            jdbc.register(new ConsumerRegistration("billing", "billing", null, ids.fingerprint())),
            EffectCatalog.of(),
            null);
    policy =
        new FailurePolicy(
            new FailureClassifier(failure -> FailureJudge.Verdict.UNDECIDED),
            new Retries(3, SHORT, SHORT, SHORT),
            new FailedRecords(inbox, ids, 3),
            health,
            new ConsumerMetrics(new SimpleMeterRegistry(), "billing"));
  }

  /** P8: as long as nobody succeeds it may be everybody's outage. */
  @Test
  void anOutageGivesNothingUpHoweverLongItLasts() {
    Batch batch = batch();

    for (int failure = 0; failure < 50; failure++) {
      assertThat(policy.judge(batch, itsOwnDatabase()).finished()).isFalse();
    }
    assertThat(DatabaseRows.count(database, "select count(*) from idembox.attempt")).isZero();
  }

  @Test
  void aRecordThatAloneMeetsAnOutageTenTimesWhileOthersSucceedIsAtFaultItself() {
    Batch batch = batch();
    for (int failure = 0; failure < 9; failure++) {
      policy.judge(batch, itsOwnDatabase());
      health.succeeded();
    }
    assertThat(DatabaseRows.count(database, "select count(*) from idembox.attempt")).isZero();

    assertThat(policy.judge(batch, itsOwnDatabase()).finished()).isFalse();
    assertThat(policy.judge(batch, itsOwnDatabase()).finished()).isFalse();
    assertThat(policy.judge(batch, itsOwnDatabase()).finished()).as("3 attempts").isTrue();
    assertThat(DatabaseRows.strings(database, "select cause_message from idembox.dead_letter"))
        .singleElement()
        .asString()
        .contains("my other database is away");
  }

  /** C50: records without effects go on while Redis is away. */
  @Test
  void aRecordThatMeetsTheGuardsOutageIsNeverAtFault() {
    Throwable redis =
        new RecordFailedException(
            0,
            new EffectStoreException(EffectStoreException.Kind.UNREACHABLE, "redis is away", null));
    Batch batch = batch();
    for (int failure = 0; failure < 50; failure++) {
      assertThat(policy.judge(batch, redis).finished()).isFalse();
      health.succeeded();
    }
    assertThat(DatabaseRows.count(database, "select count(*) from idembox.attempt")).isZero();
  }

  /** What an ended assignment's worker says must give up nothing: the new owner may succeed. */
  @Test
  void aRecordOfAnEndedAssignmentIsNotGivenUp() {
    Batch batch = batch();
    work.end();

    AfterFailure after =
        policy.judge(
            batch, new RecordFailedException(0, new PermanentFailureException("too late")));

    assertThat(after.finished()).isFalse();
    assertThat(DatabaseRows.count(database, "select count(*) from idembox.dead_letter")).isZero();
  }

  private static Throwable itsOwnDatabase() {
    return new RecordFailedException(0, new SQLException("my other database is away", "08006"));
  }

  /** Another delivery succeeded, or a process that ended in one of its effects. */
  @Test
  void aRecordThatWasHandledMeanwhileGetsNoLetterAndKeepsNoNote() throws Exception {
    Batch batch = batch();
    UUID id = ids.resolve(batch.first()).id();
    inbox.run(List.of(FailedRecords.claim(inbox, batch.first(), id)), open -> {});
    inbox.attempts().failed(id, Duration.ZERO, "noted before it ran");

    AfterFailure after =
        policy.judge(
            batch, new RecordFailedException(0, new PermanentFailureException("too late")));

    assertThat(after.finished()).isTrue();
    assertThat(DatabaseRows.count(database, "select count(*) from idembox.dead_letter")).isZero();
    assertThat(DatabaseRows.count(database, "select count(*) from idembox.attempt")).isZero();
  }

  private Batch batch() {
    FetchedRecord fetched =
        new FetchedRecord(
            new ConsumerRecord<>("orders", 0, 0, new byte[0], new byte[] {1}), UUID.randomUUID());
    work.offer(List.of(fetched), new OffsetAndMetadata(1));
    assertThat(work.tryStartTurn()).isTrue();
    return work.nextBatch().orElseThrow();
  }
}
