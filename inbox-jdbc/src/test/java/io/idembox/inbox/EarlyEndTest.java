package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A transaction that records what it has reached, and leaves the rest of its claims. */
@WithServers(WithServers.Server.POSTGRES)
final class EarlyEndTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());

  private static final String WAITING =
      "pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    inbox = fixture.open(MAIL);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void whatWasReachedIsRecordedAndTheRestIsNewTheNextTime() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(10));

    InboxRun first = inbox.run(claims, batch -> handle(batch, 4));

    assertThat(first.covered()).isEqualTo(4);
    assertThat(first.fresh().stream().toArray()).containsExactly(0, 1, 2, 3);
    assertThat(first.intents()).hasSize(4);
    assertThat(fixture.count("idembox.inbox")).isEqualTo(4);
    assertThat(fixture.count("ledger")).isEqualTo(4);

    InboxRun second = inbox.run(claims, batch -> handle(batch, 10));

    assertThat(second.covered()).isEqualTo(10);
    assertThat(second.fresh().stream().toArray()).containsExactly(4, 5, 6, 7, 8, 9);
    assertThat(fixture.count("ledger")).isEqualTo(10);
  }

  @Test
  void aCopyBehindTheEndIsADuplicateTheNextTime() throws Exception {
    UUID id = UUID.randomUUID();
    List<InboxClaim> claims = InboxFixture.claims(inbox, id, UUID.randomUUID(), id);

    inbox.run(claims, batch -> handle(batch, 1));
    InboxRun second = inbox.run(claims, batch -> handle(batch, 3));

    assertThat(second.fresh().stream().toArray()).containsExactly(1);
    assertThat(fixture.count("ledger")).isEqualTo(2);
  }

  /** The other one waits for this transaction's end, which a rollback would end in the same way. */
  @Test
  void anotherMemberThatWaitsForAReleasedClaimFindsItNew() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(2));
    CountDownLatch claimed = new CountDownLatch(1);
    FutureTask<InboxRun> other =
        new FutureTask<>(
            () -> {
              claimed.await();
              return inbox.run(claims.subList(1, 2), batch -> handle(batch, 1));
            });
    new Thread(other).start();

    inbox.run(
        claims,
        batch -> {
          claimed.countDown();
          await().until(() -> fixture.count(WAITING) > 0);
          handle(batch, 1);
        });

    assertThat(other.get(30, TimeUnit.SECONDS).fresh().stream().toArray()).containsExactly(0);
    assertThat(fixture.count("ledger")).isEqualTo(2);
  }

  @Test
  void runSplittingGoesOnBehindTheEnd() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(10));

    InboxRun run =
        inbox.runSplitting(
            claims,
            batch -> {
              int[] fresh = batch.fresh();
              batch.begin(fresh[0]).handle().execute("insert into ledger values ('o')");
              if (fresh.length > 1) {
                batch.endBefore(fresh[1]);
              }
            },
            (index, failure) -> {
              throw failure;
            });

    assertThat(run.fresh().cardinality()).isEqualTo(10);
    assertThat(fixture.count("ledger")).isEqualTo(10);
  }

  @Test
  void whatWasBegunCannotBeLeftOut() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(3));

    inbox.run(
        claims,
        batch -> {
          batch.begin(1);
          for (int index : new int[] {0, 1, 3}) {
            assertThatIllegalArgumentException().isThrownBy(() -> batch.endBefore(index));
          }
          batch.endBefore(2);
          assertThatIllegalArgumentException().isThrownBy(() -> batch.begin(2));
        });

    assertThat(fixture.count("idembox.inbox")).isEqualTo(2);
  }

  /** Stored, such an intent could never be performed, and would be held for ever. */
  @Test
  void anEffectWithoutARequestIsRefusedAtTheCall() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(1));

    inbox.run(
        claims,
        batch ->
            assertThatIllegalArgumentException()
                .isThrownBy(
                    () ->
                        batch
                            .begin(0)
                            .effects()
                            .afterCommit(MAIL.name(), EffectKey.of("mail").id("o0"), nothing()))
                .withMessageContaining("mail")
                .withMessageContaining("o0"));

    assertThat(fixture.count("idembox.effect")).isZero();
  }

  /** What a caller without null checks hands over. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // That is the point.
  private static <T> T nothing() {
    return null;
  }

  private static void handle(InboxBatch batch, int end) {
    for (int index : batch.fresh()) {
      if (index >= end) {
        batch.endBefore(index);
        return;
      }
      InboxTransaction tx = batch.begin(index);
      tx.enqueue("insert into ledger(order_id) values (?)", "o" + index);
      tx.effects().afterCommit(MAIL.name(), EffectKey.of("mail").id("o" + index), "o" + index);
    }
  }
}
