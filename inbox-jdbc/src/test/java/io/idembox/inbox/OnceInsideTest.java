package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectCode;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectInDoubtException;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.EffectStoreException;
import io.idembox.effect.InMemoryEffectStore;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Effects that run inside of a handler, before the commit. */
@WithServers(WithServers.Server.POSTGRES)
final class OnceInsideTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final EffectKey KEY = EffectKey.of("payment").id("o9");

  private static TestScope scope;
  private InboxFixture fixture;
  private EffectGuard guard;
  private ConsumerInbox inbox;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    guard =
        EffectGuard.builder(new InMemoryEffectStore())
            .namespace(fixture.consumer.namespace())
            .build();
    inbox = fixture.inbox.open(fixture.consumer, EffectCatalog.of(MAIL), guard);
  }

  @AfterEach
  void close() {
    guard.close();
    fixture.close();
  }

  @Test
  void theReceiptIsReplayedWhenTheMessageComesAgain() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    UUID id = UUID.randomUUID();
    EffectCode<String> pay = attempt -> "receipt " + runs.incrementAndGet();
    assertThatThrownBy(
            () ->
                handle(
                    id,
                    tx -> {
                      once(tx, pay);
                      throw new IllegalStateException("after the effect");
                    }))
        .isInstanceOf(IllegalStateException.class);

    String[] receipt = new String[1];
    handle(
        id,
        tx -> {
          receipt[0] = once(tx, pay);
          tx.enqueue("insert into ledger(order_id) values (?)", receipt[0]);
        });

    assertThat(receipt[0]).isEqualTo("receipt 1");
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  @Test
  void aNamedEffectRunsByItsCode() throws Exception {
    handle(
        UUID.randomUUID(),
        tx -> assertThat(tx.effects().once(MAIL.name(), KEY, "hello")).isEqualTo("done"));
  }

  @Test
  void whileItRunsTheTransactionRefusesStatementsAndAFurtherOnce() {
    refusedInside(tx -> tx.handle().execute("select 1"), "InboxTransaction.handle");
    refusedInside(
        tx -> tx.enqueue("insert into ledger(order_id) values ('x')"), "InboxTransaction.enqueue");
    refusedInside(tx -> tx.connection().createStatement(), "InboxTransaction.connection");
    refusedInside(
        tx -> tx.effects().once(MAIL.name(), EffectKey.of("other").id("1"), "x"),
        "TransactionEffects.once");
    refusedInside(
        tx -> tx.effects().afterCommit(MAIL.name(), EffectKey.of("other").id("1"), "x"),
        "TransactionEffects.afterCommit");
    assertThat(fixture.count("idembox.inbox")).isZero();
  }

  @FunctionalInterface
  private interface Use {
    void of(InboxTransaction tx) throws Exception;
  }

  private void refusedInside(Use use, String call) {
    EffectKey key = EffectKey.of("payment").id(UUID.randomUUID());
    assertThatThrownBy(
            () ->
                handle(
                    UUID.randomUUID(),
                    tx ->
                        tx.effects()
                            .once(
                                EffectPolicy.builder().maxAttempts(1).build(),
                                key,
                                String.class,
                                attempt -> {
                                  use.of(tx);
                                  return "x";
                                })))
        .isInstanceOf(EffectInDoubtException.class)
        .cause()
        .isInstanceOfSatisfying(
            ForbiddenCallException.class, e -> assertThat(e.call()).isEqualTo(call));
  }

  @Test
  void theRefusalReachesTheGuardsOwnThreadsToo() {
    EffectPolicy timed =
        EffectPolicy.builder().timeout(Duration.ofSeconds(20)).maxAttempts(1).build();
    assertThatThrownBy(
            () ->
                handle(
                    UUID.randomUUID(),
                    tx ->
                        tx.effects()
                            .once(
                                timed,
                                KEY,
                                String.class,
                                attempt -> {
                                  tx.handle().execute("select 1");
                                  return "x";
                                })))
        .isInstanceOf(EffectInDoubtException.class)
        .hasCauseInstanceOf(ForbiddenCallException.class);
  }

  @Test
  void theTransactionIsUsableAfterTheEffect() throws Exception {
    handle(
        UUID.randomUUID(),
        tx -> {
          tx.handle().execute("insert into ledger(order_id) values ('before')");
          once(tx, attempt -> "x");
          tx.handle().execute("insert into ledger(order_id) values ('after')");
        });

    assertThat(fixture.count("ledger")).isEqualTo(2);
  }

  @Test
  void withoutTheGuardsStoreNothingRunsAndSwallowingThatDoesNotCommit() {
    InMemoryEffectStore gone = new InMemoryEffectStore();
    EffectGuard closed = EffectGuard.builder(gone).namespace(fixture.consumer.namespace()).build();
    closed.close();
    ConsumerInbox without = fixture.inbox.open(fixture.consumer, EffectCatalog.of(MAIL), closed);
    AtomicInteger runs = new AtomicInteger();

    assertThatThrownBy(
            () ->
                without.run(
                    InboxFixture.claims(without, UUID.randomUUID()),
                    batch -> {
                      InboxTransaction tx = batch.begin(0);
                      tx.enqueue("insert into ledger(order_id) values ('x')");
                      try {
                        once(tx, attempt -> "run " + runs.incrementAndGet());
                      } catch (RuntimeException swallowed) {
                        // As a handler that does not care would.
                      }
                    }))
        .isInstanceOf(EffectStoreException.class);

    assertThat(runs).hasValue(0);
    assertThat(fixture.count("ledger")).isZero();
    assertThat(fixture.count("idembox.inbox")).isZero();
  }

  @Test
  void withoutAGuardOnceSaysWhatIsMissing() {
    ConsumerInbox without = fixture.open(MAIL);

    assertThatThrownBy(
            () ->
                without.run(
                    InboxFixture.claims(without, UUID.randomUUID()),
                    batch -> batch.begin(0).effects().once(MAIL.name(), KEY, "x")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("guard");
  }

  private static String once(InboxTransaction tx, EffectCode<String> code) {
    return tx.effects().once(EffectPolicy.defaults(), KEY, String.class, code);
  }

  private void handle(UUID id, Use use) throws Exception {
    inbox.run(InboxFixture.claims(inbox, id), batch -> use.of(batch.begin(0)));
  }
}
