package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idembox.inbox.ClusterChange;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.testkit.TestScope;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What people decide about a consumer: pauses, another cluster, other rules for ids. */
class OperatorTest extends ConsumerTestBase {
  OperatorTest(TestScope scope) {
    super(scope);
  }

  @Test
  void aPausedPartitionBeginsNothingUntilItIsResumedAndSaysWhy() throws Exception {
    InboxConsumer consumer = started(Orders::book);
    await().atMost(SOON).until(() -> consumer.status().partitions().size() == 3);
    await().atMost(SOON).until(() -> consumer.status().joined());

    assertThat(consumer.pause(topic, 0, "the ledger is being repaired")).isTrue();
    assertThat(consumer.pause(topic, 7, "no such one")).isFalse();
    await().atMost(SOON).until(() -> stall(consumer, 0) != null);
    orders.send(topic, 0, "m0", "o0").send(topic, 1, "m1", "o1").send(topic, 2, "m2", "o2").flush();

    await().atMost(SOON).until(() -> committed(1) == 1 && committed(2) == 1);
    assertThat(strings("select order_id from ledger order by 1")).containsExactly("o1", "o2");
    assertThat(stall(consumer, 0).reason()).isEqualTo(Stall.Reason.PAUSED);
    assertThat(stall(consumer, 0).detail())
        .isEqualTo("paused by an operator: the ledger is being repaired");
    assertThat(stall(consumer, 1)).isNull();

    assertThat(consumer.resume(topic, 0)).isTrue();
    assertThat(consumer.resume(topic, 0)).isFalse();
    await().atMost(SOON).until(() -> committed(0) == 1);
    await().atMost(SOON).until(() -> stall(consumer, 0) == null);
  }

  @Test
  void aDatabaseOfAnotherClusterIsRefusedUntilSomebodySaysWhy() throws Exception {
    started(Orders::book).close();
    String installation = strings("select id::text from idembox.installation").get(0);
    assertThat(strings("select kafka_cluster_id from idembox.installation")).doesNotContainNull();
    pretendAnotherCluster();

    assertThatThrownBy(() -> started(Orders::book))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("another-cluster")
        .hasMessageContaining("COPY")
        .hasMessageContaining("MOVED");

    start(builder().adoptCluster(ClusterChange.MOVED).subscribe(json(topic, Orders::book))).close();
    assertThat(strings("select id::text from idembox.installation")).containsExactly(installation);
    started(Orders::book).close();

    pretendAnotherCluster();
    start(builder().adoptCluster(ClusterChange.COPY).subscribe(json(topic, Orders::book))).close();
    assertThat(strings("select id::text from idembox.installation")).doesNotContain(installation);
    assertThat(strings("select name from idembox.effect_namespace").get(0))
        .doesNotContain(installation);
  }

  @Test
  void otherRulesForIdsAreRefusedUntilTheyAreAccepted() throws Exception {
    started(Orders::book).close();
    MessageIdResolver other = MessageIdResolver.builder().header("other-id").build();

    assertThatThrownBy(
            () -> start(builder().messageIds(other).subscribe(json(topic, Orders::book))))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("by other rules");
    start(builder().messageIds(other).acceptResolverChange().subscribe(json(topic, Orders::book)))
        .close();
    start(builder().messageIds(other).subscribe(json(topic, Orders::book))).close();
  }

  @Test
  void aTypeMayStandInTheValue() throws Exception {
    orders.sendRaw(topic, 0, "m0", "{\"event\":{\"type\":\"placed\"},\"id\":\"o0\",\"amount\":1}");
    orders.sendRaw(topic, 0, "m1", "{\"event\":{\"type\":\"other\"},\"id\":\"o1\",\"amount\":1}");
    orders.sendRaw(topic, 0, "m2", "{\"id\":\"o2\",\"amount\":1}");
    orders.sendRaw(topic, 0, "m3", "{\"event\":{\"type\":7},\"id\":\"o3\"}");
    orders.sendTombstone(topic, 0, "m4");
    orders.flush();
    List<String> placed = new CopyOnWriteArrayList<>();

    InboxConsumer consumer =
        start(
            builder()
                .subscribe(
                    Subscription.topics(topic)
                        .types(TypeName.jsonPointer("/event/type"))
                        .on(
                            "placed",
                            Decoders.string(),
                            (message, tx) -> placed.add(message.value()))));
    awaitCommitted(5);

    assertThat(placed).hasSize(1);
    assertThat(placed.get(0)).contains("o0");
    assertThat(strings("select reason || ': ' || error from idembox.dead_letter"))
        .singleElement()
        .satisfies(
            letter ->
                assertThat(letter)
                    .contains("cannot be read")
                    .contains("the type at /event/type is no text"));
    assertThat(consumer.status().joined()).isTrue();
  }

  private void pretendAnotherCluster() throws Exception {
    try (var connection = database.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("update idembox.installation set kafka_cluster_id = 'another-cluster'");
    }
  }

  private static Stall stall(InboxConsumer consumer, int partition) {
    return consumer.status().partitions().get(partition).stall().orElse(null);
  }
}
