package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectNotPerformedException;
import io.idembox.effect.EffectPolicy;
import io.idembox.testkit.TestScope;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What keeps a consumer as a whole from going on at full speed, and what does not. */
class BrakesTest extends ConsumerTestBase {
  private final AtomicBoolean works = new AtomicBoolean();

  BrakesTest(TestScope scope) {
    super(scope);
  }

  @Test
  void aBadDeployDoesNotDrainTheTopicIntoTheDeadLetters() throws Exception {
    for (int i = 0; i < 90; i++) {
      orders.send(topic, i % 3, "m" + i, "o" + i);
    }
    orders.flush();

    InboxConsumer consumer =
        started(
            (message, tx) -> {
              if (!works.get()) {
                throw new PermanentFailureException("a bad deploy");
              }
              Orders.book(message, tx);
            });
    await().atMost(SOON).until(() -> stalledBy(consumer, Stall.Reason.HANDLER_FAILING));
    assertThat(log.complainsOf("gave up 20 records in a row")).isTrue();
    works.set(true);
    awaitCommitted(90);

    long letters = rows("select count(*) from idembox.dead_letter");
    assertThat(letters).as("20, and what ran beside the last of them").isBetween(20L, 25L);
    assertThat(rows("select count(*) from ledger")).isEqualTo(90 - letters);
  }

  @Test
  void recordsThatCannotBeReadSlowNobodyDown() throws Exception {
    for (int i = 0; i < 40; i++) {
      orders.sendRaw(topic, 0, "m" + i, "{");
    }
    orders.send(topic, 0, "good", "o").flush();

    started(Orders::book);
    awaitCommitted(41);

    assertThat(rows("select count(*) from idembox.dead_letter")).isEqualTo(40);
    assertThat(log.complainsOf("in a row")).isFalse();
  }

  @Test
  void aJournalThatOwesTooManyEffectsLetsTheOffsetStand() throws Exception {
    for (int i = 0; i < 5; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();
    ScriptedEffect mail =
        new ScriptedEffect(
            EffectPolicy.builder().lease(ScriptedEffect.LEASE).maxAttempts(1).build(),
            attempt -> {
              if (!works.get()) {
                throw new EffectNotPerformedException("the provider is away");
              }
              return "sent";
            });

    InboxConsumer consumer =
        start(settings(mail).maxUnsettledEffects(5).subscribe(json(topic, Orders::book)));
    awaitCommitted(5);
    await().atMost(SOON).until(() -> stalled(consumer));
    long committed = committed(1);
    assertThat(stalledBy(consumer, Stall.Reason.EFFECTS_BACKLOG)).isTrue();
    works.set(true);
    await().atMost(SOON).until(() -> committed(1) > committed && consumer.unsettledEffects() == 0);
  }

  /** A provider's outage must not use up the attempts of thousands of effects. */
  @Test
  void anEffectThatFailsForManyKeysInARowIsAttemptedOnceAtATime() throws Exception {
    for (int i = 0; i < 25; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();
    AtomicInteger attempts = new AtomicInteger();
    ScriptedEffect mail =
        new ScriptedEffect(
            EffectPolicy.builder().lease(ScriptedEffect.LEASE).maxAttempts(1).build(),
            attempt -> {
              attempts.incrementAndGet();
              if (!works.get()) {
                throw new EffectNotPerformedException("the provider is away");
              }
              return "sent";
            });
    InboxConsumer consumer = start(settings(mail).subscribe(json(topic, Orders::book)));
    await().atMost(SOON).until(() -> consumer.slowedEffects().equals(Set.of("invoice-mail")));
    awaitCommitted(25);
    int before = attempts.get();

    for (int i = 25; i < 325; i++) {
      orders.send(topic, i % 3, "m" + i, "o" + i);
    }
    orders.flush();
    awaitCommitted(325);
    assertThat(attempts.get() - before).as("of 300 new effects").isLessThan(20);

    works.set(true);
    await().atMost(SOON.multipliedBy(3)).until(() -> consumer.unsettledEffects() == 0);
    assertThat(consumer.slowedEffects()).isEmpty();
    assertThat(rows("select count(*) from idembox.effect where state = 2")).isEqualTo(325);
  }

  /** Sends one more record; the bound is looked at every few seconds. */
  private boolean stalled(InboxConsumer consumer) throws Exception {
    orders.send(topic, 1, "later" + System.nanoTime(), "later" + System.nanoTime()).flush();
    return stalledBy(consumer, Stall.Reason.EFFECTS_BACKLOG);
  }

  private static boolean stalledBy(InboxConsumer consumer, Stall.Reason reason) {
    return consumer.status().partitions().stream()
        .flatMap(partition -> partition.stall().stream())
        .anyMatch(stall -> stall.reason() == reason);
  }
}
