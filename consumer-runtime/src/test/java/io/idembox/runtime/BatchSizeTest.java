package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BatchSizeTest {
  private static final Duration SHORT = Duration.ofMillis(10);

  private final BatchSize size = new BatchSize(1000, Duration.ofMillis(250));

  @Test
  void beginsCautiouslyAndDoublesWhileTransactionsAreShort() {
    assertThat(size.limit()).isEqualTo(64);

    size.committed(64, SHORT);
    size.committed(128, SHORT);
    assertThat(size.limit()).isEqualTo(256);
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
