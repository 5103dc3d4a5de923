package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.TestScope;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Two members under one group.instance.id: never both, and never one that only looks alive. */
class StaticMembershipTest extends ConsumerTestBase {
  StaticMembershipTest(TestScope scope) {
    super(scope);
  }

  /** The newcomer takes the place; the older one is fenced, and ends. */
  @Test
  void underClassicTheOlderMemberEnds() throws Exception {
    CompletableFuture<?> older = runs(Map.of());
    orders.send(topic, 0, "m0", "o0").flush();
    awaitCommitted(1);

    CompletableFuture<?> newcomer = runs(Map.of());

    assertIsRefused(older);
    assertKeepsReading(newcomer);
  }

  /** The broker keeps the place for the older member; the newcomer ends, and may come again. */
  @Test
  void underTheConsumerProtocolTheNewcomerEnds() throws Exception {
    CompletableFuture<?> older = runs(Map.of("group.protocol", "consumer"));
    orders.send(topic, 0, "m0", "o0").flush();
    awaitCommitted(1);

    CompletableFuture<?> newcomer = runs(Map.of("group.protocol", "consumer"));

    assertIsRefused(newcomer);
    assertKeepsReading(older);
  }

  /** Ends when the consumer does. */
  private CompletableFuture<?> runs(Map<String, String> protocol) {
    InboxConsumer consumer =
        builder()
            .kafka(protocol)
            .kafka(Map.of("group.instance.id", "billing-1"))
            .subscribe(json(topic, Orders::book))
            .build();
    consumers.add(consumer);
    return CompletableFuture.runAsync(
        () -> {
          try {
            consumer.run();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        },
        task -> new Thread(task, "member").start());
  }

  private static void assertIsRefused(CompletableFuture<?> member) {
    await().atMost(SOON).until(member::isDone);
    assertThatThrownBy(member::join)
        .cause()
        .isInstanceOf(ConsumerFailedException.class)
        .hasMessageContaining("group.instance.id billing-1");
  }

  private void assertKeepsReading(CompletableFuture<?> member) throws Exception {
    orders.send(topic, 0, "m1", "o1").flush();
    awaitCommitted(2);
    assertThat(member).isNotDone();
  }
}
