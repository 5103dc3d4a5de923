package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One inbox transaction: what commits together, and what never does. */
@WithServers(WithServers.Server.POSTGRES)
final class ConsumerInboxTest {
  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    inbox = fixture.open();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void rowsAndInboxRowsCommitTogether() throws Exception {
    UUID[] ids = InboxFixture.ids(3);

    InboxRun run = inbox.run(InboxFixture.claims(inbox, ids), this::writeLedger);

    assertThat(run.fresh().cardinality()).isEqualTo(3);
    assertThat(run.timeline()).isPositive();
    assertThat(fixture.count("ledger")).isEqualTo(3);
    assertThat(fixture.count("idembox.inbox")).isEqualTo(3);
  }

  @Test
  void rollbackLeavesNeither() {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(3));

    assertThatThrownBy(
            () ->
                inbox.run(
                    claims,
                    batch -> {
                      writeLedger(batch);
                      throw new IllegalStateException("handler failed");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("handler failed");

    assertThat(fixture.count("ledger")).isZero();
    assertThat(fixture.count("idembox.inbox")).isZero();
  }

  @Test
  void whatWasHandledIsNotFreshAgain() throws Exception {
    UUID[] ids = InboxFixture.ids(4);
    inbox.run(InboxFixture.claims(inbox, ids[1], ids[3]), this::writeLedger);

    inbox.run(
        InboxFixture.claims(inbox, ids),
        batch -> {
          assertThat(batch.fresh()).containsExactly(0, 2);
          writeLedger(batch);
        });

    assertThat(fixture.count("ledger")).isEqualTo(4);
  }

  @Test
  void theSameIdTwiceInOneBatchIsFreshOnce() throws Exception {
    UUID id = UUID.randomUUID();

    inbox.run(
        InboxFixture.claims(inbox, id, UUID.randomUUID(), id),
        batch -> assertThat(batch.fresh()).containsExactly(0, 1));

    assertThat(fixture.text("select \"offset\" from idembox.inbox where message_id = '" + id + "'"))
        .isEqualTo("0");
  }

  @Test
  void anotherConsumerHasAnInboxOfItsOwn() throws Exception {
    UUID[] ids = InboxFixture.ids(2);
    inbox.run(InboxFixture.claims(inbox, ids), this::writeLedger);
    RegisteredConsumer notify =
        fixture.inbox.register(
            new ConsumerRegistration("notify", "notify", null, InboxFixture.RESOLVER));
    ConsumerInbox other = fixture.inbox.open(notify, io.idembox.effect.EffectCatalog.of(), null);

    other.run(
        InboxFixture.claims(other, ids), batch -> assertThat(batch.fresh()).containsExactly(0, 1));
  }

  @Test
  void aSwallowedSqlErrorIsNeverCommitted() {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(2));

    assertThatThrownBy(
            () ->
                inbox.run(
                    claims,
                    batch -> {
                      writeLedger(batch);
                      InboxTransaction tx = batch.begin(1);
                      try {
                        tx.handle().execute("insert into ledger(order_id) values (null)");
                      } catch (RuntimeException swallowed) {
                        // As a careless handler would.
                      }
                    }))
        .isInstanceOf(TransactionFailedException.class)
        .cause()
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23502"));

    assertThat(fixture.count("ledger")).isZero();
    assertThat(fixture.count("idembox.inbox")).isZero();
  }

  @Test
  void anEmptyBatchOfFreshMessagesCommitsNothing() throws Exception {
    UUID[] ids = InboxFixture.ids(2);
    inbox.run(InboxFixture.claims(inbox, ids), this::writeLedger);

    InboxRun again =
        inbox.run(InboxFixture.claims(inbox, ids), batch -> assertThat(batch.fresh()).isEmpty());

    assertThat(again.fresh().isEmpty()).isTrue();
    assertThat(fixture.count("ledger")).isEqualTo(2);
  }

  @Test
  void aRunOfDuplicatesEndsWithTheFirstNewMessage() throws Exception {
    UUID[] ids = InboxFixture.ids(3);
    inbox.run(InboxFixture.claims(inbox, ids), this::writeLedger);
    for (int i = 0; i < 3; i++) {
      InboxRun replayed = inbox.run(InboxFixture.claims(inbox, ids), this::writeLedger);
      assertThat(replayed.fresh().isEmpty()).isTrue();
      assertThat(replayed.timeline()).isPositive();
      assertThat(replayed.owesEffects()).isFalse();
    }

    InboxRun run =
        inbox.run(InboxFixture.claims(inbox, ids[0], UUID.randomUUID(), ids[2]), this::writeLedger);

    assertThat(run.fresh().stream().toArray()).containsExactly(1);
    assertThat(fixture.count("ledger")).isEqualTo(4);
  }

  private void writeLedger(InboxBatch batch) {
    for (int index : batch.fresh()) {
      batch.begin(index).handle().execute("insert into ledger(order_id) values (?)", "o" + index);
    }
  }
}
