package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BellTest {
  private static final Duration FOR_EVER = Duration.ofHours(1);

  private final Bell bell = new Bell();

  @Test
  void aRingBeforeTheWaitIsNotLost() throws InterruptedException {
    bell.ring();

    bell.await(FOR_EVER);
  }

  @Test
  void aRingIsHeardOnce() throws InterruptedException {
    bell.ring();
    bell.await(FOR_EVER);

    long begun = System.nanoTime();
    bell.await(Duration.ofMillis(20));

    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(Duration.ofMillis(20).toNanos());
  }

  @Test
  void aRingEndsAWait() {
    AtomicReference<Thread> waiting = new AtomicReference<>();
    CompletableFuture<Void> ended =
        CompletableFuture.runAsync(
            () -> {
              waiting.set(Thread.currentThread());
              try {
                bell.await(FOR_EVER);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    await()
        .until(
            () -> waiting.get() != null && waiting.get().getState() == Thread.State.TIMED_WAITING);

    bell.ring();

    await().untilAsserted(() -> assertThat(ended).isCompleted());
  }
}
