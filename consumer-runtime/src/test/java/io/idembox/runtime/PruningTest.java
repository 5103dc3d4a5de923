package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.inbox.PrunePolicy;
import io.idembox.testkit.TestScope;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Pruning beside the work, and what is left of what was pruned. */
class PruningTest extends ConsumerTestBase {
  PruningTest(TestScope scope) {
    super(scope);
  }

  @Test
  void rowsGoAfterTheRetentionAndTheirRecordsAreStillRecognised() throws Exception {
    PrunePolicy soon =
        PrunePolicy.DEFAULT
            .withInboxRetention(Duration.ofMillis(1))
            .withRoundInterval(Duration.ZERO);
    try (InboxConsumer first =
        start(builder().pruning(soon).subscribe(json(topic, Orders::book)))) {
      for (int i = 0; i < 60; i++) {
        orders.send(topic, i % 3, "m" + i, "o" + i);
      }
      orders.flush();
      awaitCommitted(60);
      awaitSettled(first);
      await()
          .atMost(SOON.multipliedBy(3))
          .until(() -> rows("select count(*) from idembox.inbox") == 0);
    }
    rewind();

    start(builder().withoutPruning().subscribe(json(topic, Orders::book)));
    awaitCommitted(60);
    await().atMost(SOON).until(() -> reports.stream().mapToInt(BatchReport::skipped).sum() == 60);

    assertThat(rows("select count(*) from ledger")).isEqualTo(60);
    assertThat(rows("select count(*) from sent")).isEqualTo(60);
  }

  @Test
  void aTopicThatOutlivesTheInboxIsNamedAtTheStart() {
    String kept = scope.topic("kept", 1, Map.of("retention.ms", "-1"));
    start(builder().retention(Duration.ofDays(7)).subscribe(json(kept, Orders::book)));

    await().atMost(SOON).until(() -> log.complainsOf("Topic " + kept + " keeps records for ever"));
  }
}
