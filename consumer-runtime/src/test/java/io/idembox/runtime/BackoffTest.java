package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private final Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));

  @Test
  void doublesWithinAFifthOfJitter() {
    assertThat(backoff.after(1)).isBetween(Duration.ofMillis(80), Duration.ofMillis(120));
    assertThat(backoff.after(2)).isBetween(Duration.ofMillis(160), Duration.ofMillis(240));
    assertThat(backoff.after(3)).isBetween(Duration.ofMillis(320), Duration.ofMillis(480));
  }

  @Test
  void staysAtTheMostHoweverManyFailures() {
    assertThat(backoff.after(Integer.MAX_VALUE))
        .isBetween(Duration.ofMillis(1600), Duration.ofMillis(2400));
  }

  @Test
  void refusesAFirstPauseLongerThanTheMost() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .withMessageContaining("first PT2S");
  }
}
