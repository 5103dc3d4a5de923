package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectNotPerformedException;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.EffectRejectedException;
import io.idembox.effect.OnUnknown;
import io.idembox.testkit.TestScope;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What becomes of effects that fail, are slow, or meet the end of their consumer. */
class EffectRunnerTest extends ConsumerTestBase {
  private static final EffectPolicy RETRY =
      EffectPolicy.builder().lease(ScriptedEffect.LEASE).maxAttempts(1).build();
  private static final EffectPolicy RESOLVE =
      RETRY.toBuilder().onUnknown(OnUnknown.RESOLVE).build();

  EffectRunnerTest(TestScope scope) {
    super(scope);
  }

  @Test
  void aLeaseThatTheStoreCannotKeepRefusesTheStart() {
    EffectPolicy hasty = RETRY.toBuilder().lease(Duration.ofMillis(500)).build();
    InboxConsumer consumer =
        scripted(hasty, attempt -> "never run").subscribe(json(topic, Orders::book)).build();

    assertThatExceptionOfType(StartRefusedException.class)
        .isThrownBy(consumer::start)
        .withMessageContaining("invoice-mail")
        .withMessageContaining("500 ms");
    consumer.close();
  }

  @Test
  void anEffectThatDidNotHappenIsTriedAgainWhileTheOffsetGoesOn() throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();
    AtomicInteger runs = new AtomicInteger();

    InboxConsumer consumer =
        start(
            scripted(
                    RETRY,
                    attempt -> {
                      if (runs.incrementAndGet() < 3) {
                        throw new EffectNotPerformedException("the provider is away");
                      }
                      return "sent";
                    })
                .subscribe(json(topic, Orders::book)));
    awaitCommitted(1);
    awaitSettled(consumer);

    assertThat(runs).hasValue(3);
    assertThat(journal()).isEqualTo("DONE");
  }

  @Test
  void anEffectIsGivenUpAfterAsManyAttemptsAsWereSet() throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();
    AtomicInteger runs = new AtomicInteger();

    InboxConsumer consumer =
        start(
            scripted(
                    RETRY,
                    attempt -> {
                      runs.incrementAndGet();
                      throw new EffectNotPerformedException("the provider is away");
                    })
                .effectAttempts(3)
                .effectBackoff(Duration.ofMillis(10), Duration.ofMillis(20))
                .subscribe(json(topic, Orders::book)));
    awaitCommitted(1);
    awaitSettled(consumer);

    assertThat(runs).hasValue(3);
    assertThat(journal()).isEqualTo("FAILED");
  }

  @Test
  void aRefusalIsRememberedAndNotTriedAgain() throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();
    AtomicInteger runs = new AtomicInteger();

    InboxConsumer consumer =
        start(
            scripted(
                    RETRY,
                    attempt -> {
                      runs.incrementAndGet();
                      throw new EffectRejectedException("no such recipient");
                    })
                .subscribe(json(topic, Orders::book)));
    awaitCommitted(1);
    awaitSettled(consumer);

    assertThat(runs).hasValue(1);
    assertThat(journal()).isEqualTo("REJECTED");
  }

  /** C44: under HOLD an unknown outcome waits for a person; the offset goes on. */
  @Test
  void anUnknownOutcomeUnderHoldWaitsForAPerson() throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();
    AtomicInteger runs = new AtomicInteger();

    InboxConsumer consumer =
        start(
            scripted(
                    RETRY.toBuilder().onUnknown(OnUnknown.HOLD).build(),
                    attempt -> {
                      runs.incrementAndGet();
                      throw new IllegalStateException("cut off after the send");
                    })
                .subscribe(json(topic, Orders::book)));
    awaitCommitted(1);
    awaitSettled(consumer);

    assertThat(runs).hasValue(1);
    assertThat(journal()).isEqualTo("HELD");
  }

  @Test
  void closeBeginsNoFurtherEffectsAndLeavesThemToTheNextMember() throws Exception {
    for (int i = 0; i < 300; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();
    AtomicBoolean closing = new AtomicBoolean();
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger begunLate = new AtomicInteger();
    InboxConsumer first =
        start(
            scripted(
                    RESOLVE,
                    attempt -> {
                      begun.incrementAndGet();
                      if (closing.get()) {
                        begunLate.incrementAndGet();
                      }
                      TimeUnit.MILLISECONDS.sleep(300); // a provider that takes its time
                      return "sent";
                    })
                .subscribe(json(topic, Orders::book)));
    await().atMost(SOON).until(() -> begun.get() >= 40);

    closing.set(true);
    first.close();

    assertThat(begunLate.get()).as("no more than were marked").isLessThanOrEqualTo(32);
    assertThat(rows("select count(*) from idembox.effect where state = 1")).isZero();
    InboxConsumer second =
        start(
            scripted(
                    RESOLVE,
                    attempt -> {
                      begun.incrementAndGet();
                      return "sent";
                    })
                .subscribe(json(topic, Orders::book)));
    awaitCommitted(300);
    awaitSettled(second);
    assertThat(begun).hasValue(300);
  }

  @Test
  void anEffectOfTheSweeperIsFinishedAtClose() throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch inSweep = new CountDownLatch(1);
    InboxConsumer consumer =
        start(
            scripted(
                    RETRY,
                    attempt -> {
                      if (runs.incrementAndGet() == 1) {
                        throw new EffectNotPerformedException("later");
                      }
                      inSweep.countDown();
                      TimeUnit.SECONDS.sleep(5); // longer than what closing grants by itself
                      return "sent";
                    })
                .subscribe(json(topic, Orders::book)));
    assertThat(inSweep.await(30, TimeUnit.SECONDS)).isTrue();

    consumer.close();

    assertThat(journal()).isEqualTo("DONE");
    assertThat(runs).hasValue(2);
  }

  private InboxConsumerBuilder scripted(EffectPolicy policy, ScriptedEffect.Script script) {
    return settings(new ScriptedEffect(policy, script));
  }

  private String journal() {
    return strings(
            """
            select (array['PENDING', 'STARTED', 'DONE', 'IN_DOUBT', 'HELD', 'FAILED', 'REJECTED'])[state + 1]
            from idembox.effect
            """)
        .get(0);
  }
}
