package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandlerHealthTest {
  private final HandlerHealth health =
      new HandlerHealth("billing", new Backoff(Duration.ofMinutes(1), Duration.ofMinutes(10)));

  @Test
  void twentyRecordsGivenUpInARowSlowTheConsumerDown() {
    giveUp(19);
    assertThat(health.tryAttempt()).isEmpty();

    giveUp(1);
    assertThat(health.isOpen()).isTrue();
    assertThat(health.tryAttempt())
        .hasValueSatisfying(pause -> assertThat(pause).isGreaterThan(Duration.ofSeconds(40)));
  }

  @Test
  void oneSuccessInBetweenStartsTheCountAnew() {
    giveUp(19);
    health.succeeded();
    giveUp(19);

    assertThat(health.isOpen()).isFalse();
  }

  @Test
  void oneSuccessEndsIt() {
    giveUp(25);
    health.succeeded();

    assertThat(health.tryAttempt()).isEmpty();
  }

  @Test
  void onlyOneAttemptIsMadeForEachPause() {
    giveUp(20);
    HandlerHealth afterTheFirstPause =
        new HandlerHealth("billing", new Backoff(Duration.ofNanos(1), Duration.ofNanos(1)));
    for (int i = 0; i < 20; i++) {
      afterTheFirstPause.gaveUp();
    }

    assertThat(health.tryAttempt()).isPresent();
    assertThat(afterTheFirstPause.tryAttempt()).isEmpty();
  }

  private void giveUp(int records) {
    for (int i = 0; i < records; i++) {
      health.gaveUp();
    }
  }
}
