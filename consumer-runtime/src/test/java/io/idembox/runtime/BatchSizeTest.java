package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BatchSizeTest {
  private static final Duration SHORT = Duration.ofMillis(10);

  private final BatchSize size = new BatchSize(1000, Duration.ofMillis(250), 1);

  /** A record that calls a slow server should hold its transaction open alone. */
  @Test
  void beginsWithOneRecordAndIsAtTheLargestBatchAfterFourShortTransactions() {
    assertThat(size.limit()).isEqualTo(1);

    for (int transactions = 0; transactions < 4; transactions++) {
      size.committed(size.limit(), SHORT);
    }
    assertThat(size.limit()).isEqualTo(1000);
  }

  @Test
  void growsNoFurtherThanThePaceSaysFitsTheTarget() {
    size.committed(1, Duration.ofMillis(100));
    assertThat(size.limit()).isEqualTo(2);

    size.committed(2, Duration.ofMillis(200));
    assertThat(size.limit()).isEqualTo(2);
  }

  /** What few records took tells nothing about many. */
  @Test
  void aBatchThatWasNotFullMakesItNoSmaller() {
    size.committed(100, SHORT);
    int before = size.limit();

    size.committed(3, SHORT);
    assertThat(size.limit()).isEqualTo(before);
  }

  @Test
  void aKnownCulpritIsReachedInTwoSteps() {
    size.failedAt(7);
    assertThat(size.limit()).as("what stands before it").isEqualTo(7);

    size.failedAt(0);
    assertThat(size.limit()).as("the culprit alone").isEqualTo(1);
  }

  @Test
  void anUnknownCulpritIsFoundByHalving() {
    int batch = 1000;
    int steps = 0;
    while (batch > 1) {
      size.failed(batch);
      batch = size.limit();
      steps++;
    }
    assertThat(steps).isLessThanOrEqualTo(10);
  }

  @Test
  void growsBackAfterACulpritIsDealtWith() {
    size.failedAt(0);
    for (int commits = 0; commits < 10; commits++) {
      size.committed(size.limit(), SHORT);
    }
    assertThat(size.limit()).isEqualTo(1000);
  }

  @Test
  void shrinksToTheShareThatFitsTheTarget() {
    size.committed(1000, Duration.ofSeconds(1));
    assertThat(size.limit()).isEqualTo(250);
  }

  @Test
  void neverFallsBelowOne() {
    size.committed(1, Duration.ofMinutes(1));
    assertThat(size.limit()).isEqualTo(1);
  }
}
