package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectNotPerformedException;
import io.idembox.effect.OnUnknown;
import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Effects that run one after the other for each record key. */
class OrderedEffectsTest extends ConsumerTestBase {
  private static final int OF_EACH_KEY = 20;

  private final List<String> sent = new CopyOnWriteArrayList<>();
  private final AtomicBoolean works = new AtomicBoolean();

  OrderedEffectsTest(TestScope scope) {
    super(scope);
  }

  @Test
  void effectsOfOneKeyRunInTheOrderOfItsRecordsAndOthersBesideThem() throws Exception {
    produce("a", "b", "c");

    InboxConsumer consumer = start(ordered(order -> {}));
    awaitCommitted(3 * OF_EACH_KEY);
    awaitSettled(consumer);

    for (String key : List.of("a", "b", "c")) {
      assertThat(sent.stream().filter(order -> order.startsWith(key)))
          .containsExactlyElementsOf(ofKey(key));
    }
  }

  /** The head is put off and the sweeper takes it up; the offset does not wait for either. */
  @Test
  void anEffectThatFailsDefersThoseBehindItAndNoOtherKey() throws Exception {
    produce("a", "b");

    InboxConsumer consumer =
        start(
            ordered(
                order -> {
                  if (order.equals("a0") && !works.get()) {
                    throw new EffectNotPerformedException("the provider is away");
                  }
                }));
    awaitCommitted(2 * OF_EACH_KEY);
    await().atMost(SOON).until(() -> sent.size() == OF_EACH_KEY);
    assertThat(sent).containsExactlyElementsOf(ofKey("b"));
    works.set(true);
    awaitSettled(consumer);

    assertThat(sent.subList(OF_EACH_KEY, sent.size())).containsExactlyElementsOf(ofKey("a"));
  }

  /** The first process dies in an effect, the second has its records and its journal. */
  @Test
  void theOrderOutlivesTheMemberThatRanThem() throws Exception {
    OrderedMember.createTable(database);
    produce("a", "b");
    try (JavaProcess first = member(OF_EACH_KEY / 2)) {
      assertThat(first.awaitExit(SOON)).isEqualTo(137);
    }
    List<String> before = performed();
    assertThat(before).as("died among them").hasSizeLessThan(2 * OF_EACH_KEY);

    try (JavaProcess second = member(Integer.MAX_VALUE)) {
      await().atMost(SOON.multipliedBy(2)).until(() -> rows(UNFINISHED) == 0);
      assertThat(second.output()).noneMatch(line -> line.contains("ERROR"));
    }

    for (String key : List.of("a", "b")) {
      // The one that was cut off may be there twice: nobody knows whether it happened.
      assertThat(performed().stream().filter(order -> order.startsWith(key)).distinct())
          .containsExactlyElementsOf(ofKey(key));
      assertThat(neverGoesBack(performed(), key)).isTrue();
    }
  }

  @Test
  void whatCannotBeOrderedIsRefused() {
    Subscription lists =
        Subscription.topics(topic).jsonBatches(Orders.Order.class, (messages, tx) -> {});

    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(lists::orderedEffects)
        .withMessageContaining("BatchInboxHandler");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> ordered(order -> {}).ordering(Ordering.NONE).build())
        .withMessageContaining("NONE");
  }

  private static final String UNFINISHED =
      "select count(*) + (select 40 - count(*) from ledger) from idembox.effect where due_at is not"
          + " null";

  private static boolean neverGoesBack(List<String> performed, String key) {
    List<Integer> numbers =
        performed.stream()
            .filter(order -> order.startsWith(key))
            .map(order -> Integer.valueOf(order.substring(1)))
            .toList();
    return numbers.equals(numbers.stream().sorted().toList());
  }

  private JavaProcess member(int crashAt) {
    return JavaProcess.start(
        OrderedMember.class,
        scope.kafka().bootstrapServers(),
        database.getJdbcUrl(),
        scope.redis().uri(),
        topic,
        group,
        Integer.toString(crashAt));
  }

  private List<String> performed() {
    return strings("select order_id from performed order by position");
  }

  private static List<String> ofKey(String key) {
    List<String> orders = new ArrayList<>();
    for (int i = 0; i < OF_EACH_KEY; i++) {
      orders.add(key + i);
    }
    return orders;
  }

  private void produce(String... keys) throws Exception {
    for (int i = 0; i < OF_EACH_KEY; i++) {
      for (String key : keys) {
        orders.sendKeyed(topic, 0, key, "m-" + key + i, key + i);
      }
    }
    orders.flush();
  }

  private InboxConsumerBuilder ordered(MailEffect.Script script) {
    return settings(
            new MailEffect(
                OnUnknown.RETRY,
                order -> {
                  script.perform(order);
                  sent.add(order);
                }))
        .subscribe(json(topic, Orders::book).orderedEffects());
  }
}
