package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.FaultyDataSource.When;
import io.idembox.inbox.InboxFixture.NamedEffect;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/**
 * P1 and P2: whatever is delivered to whom, and wherever it crashes, each identity is handled once.
 */
final class DeliveryPropertyTest {
  private static final int MESSAGES = 8;
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final String[] STEPS = {
    "insert into idembox.inbox", "insert into ledger", "insert into idembox.effect", ";\ncommit"
  };

  private static OwnServer server;

  @BeforeContainer
  static void start() {
    server = new OwnServer();
  }

  @AfterContainer
  static void stop() {
    server.close();
  }

  /**
   * One batch as somebody gets it.
   *
   * @param messages in any order, some of them twice
   * @param crashAt a step, or null
   * @param failing a message whose handler throws, or -1
   */
  record Delivery(
      int member, List<Integer> messages, @Nullable String crashAt, When when, int failing) {}

  @Provide
  Arbitrary<List<Delivery>> deliveries() {
    Arbitrary<Integer> member = Arbitraries.integers().between(0, 1);
    Arbitrary<List<Integer>> messages =
        Arbitraries.integers().between(0, MESSAGES - 1).list().ofMinSize(1).ofMaxSize(6);
    Arbitrary<@Nullable String> crash = Arbitraries.of(STEPS).injectNull(0.5);
    Arbitrary<When> when = Arbitraries.of(When.class);
    Arbitrary<Integer> failing = Arbitraries.integers().between(-4, MESSAGES - 1);
    return Combinators.combine(member, messages, crash, when, failing)
        .as(Delivery::new)
        .list()
        .ofMaxSize(12);
  }

  @Property(tries = 60, shrinking = ShrinkingMode.BOUNDED)
  void eachIdentityIsHandledOnce(@ForAll("deliveries") List<Delivery> deliveries) throws Exception {
    server.execute(
        "truncate ledger, idembox.inbox, idembox.effect, idembox.effect_flight, idembox.attempt, idembox.dead_letter");
    FaultyDataSource faulty = new FaultyDataSource(server.pool);
    List<ConsumerInbox> members = List.of(open(faulty), open(faulty));
    UUID[] ids = InboxFixture.ids(MESSAGES);

    for (Delivery delivery : deliveries) {
      if (delivery.crashAt() != null) {
        faulty.cutOnce(delivery.when(), delivery.crashAt());
      }
      try {
        handle(members.get(delivery.member()), ids, delivery.messages(), delivery.failing());
      } catch (InboxException | HandlerFailed e) {
        // It is delivered again, some time.
      }
      faulty.heal();
      thoseWithARowAreWholeAndTheOthersNotThere();
    }
    for (int message = 0; message < MESSAGES; message++) {
      handle(members.get(message % 2), ids, List.of(message), -1);
    }

    assertThat(server.count("ledger")).isEqualTo(MESSAGES);
    assertThat(server.text("select count(distinct order_id)::text from ledger"))
        .isEqualTo(String.valueOf(MESSAGES));
    assertThat(server.count("idembox.inbox")).isEqualTo(MESSAGES);
    assertThat(server.count("idembox.effect")).isEqualTo(MESSAGES);
  }

  /** P1 at each moment: as many ledger rows and intents as inbox rows. */
  private static void thoseWithARowAreWholeAndTheOthersNotThere() {
    assertThat(
            server.text(
                "select (select count(*) from ledger) = (select count(*) from idembox.inbox)"
                    + " and (select count(*) from idembox.effect) = (select count(*) from idembox.inbox)"))
        .isEqualTo("t");
  }

  private static ConsumerInbox open(FaultyDataSource faulty) {
    return JdbcInbox.builder(faulty).build().open(server.consumer, EffectCatalog.of(MAIL), null);
  }

  private static void handle(ConsumerInbox inbox, UUID[] ids, List<Integer> messages, int failing)
      throws Exception {
    int topic = inbox.topicId(InboxFixture.TOPIC, "orders");
    List<InboxClaim> claims = new ArrayList<>();
    for (int message : messages) {
      claims.add(new InboxClaim(ids[message], topic, 0, claims.size()));
    }
    inbox.run(
        claims,
        batch -> {
          for (int i : batch.fresh()) {
            int message = messages.get(i);
            if (message == failing) {
              throw new HandlerFailed();
            }
            InboxTransaction tx = batch.begin(i);
            tx.enqueue("insert into ledger(order_id) values (?)", "o" + message);
            tx.effects().afterCommit(MAIL.name(), EffectKey.of("m").id(message), "x");
          }
        });
  }

  private static final class HandlerFailed extends Exception {
    private static final long serialVersionUID = 1L;
  }
}
