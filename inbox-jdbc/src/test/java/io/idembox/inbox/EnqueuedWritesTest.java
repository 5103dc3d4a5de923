package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes that combine over the messages of a transaction: as if each had been sent at once. */
@WithServers(WithServers.Server.POSTGRES)
final class EnqueuedWritesTest {
  private static final String INSERT = "insert into log(line) values (?)";
  private static final String COPY = "insert into copied(line) select line from log where line = ?";

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    fixture.execute("create table log (id serial, line text not null unique)");
    fixture.execute("create table copied (line text)");
    inbox = fixture.open();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void theyAreWrittenInOrderOverMessages() throws Exception {
    inbox.run(
        InboxFixture.claims(inbox, InboxFixture.ids(50)),
        batch -> {
          for (int index : batch.fresh()) {
            batch.begin(index).enqueue(INSERT, "line " + index);
          }
        });

    assertThat(fixture.text("select string_agg(line, ',' order by id) from log"))
        .startsWith("line 0,line 1,line 2,")
        .endsWith(",line 48,line 49");
  }

  @Test
  void aStatementOfAnotherTextSeesWhatWasEnqueuedBefore() throws Exception {
    inbox.run(
        InboxFixture.claims(inbox, InboxFixture.ids(1)),
        batch -> {
          InboxTransaction tx = batch.begin(0);
          tx.enqueue(INSERT, "a");
          tx.enqueue(COPY, "a");
          tx.enqueue(COPY, "b");
          tx.enqueue(INSERT, "b");
        });

    assertThat(fixture.text("select string_agg(line, ',') from copied")).isEqualTo("a");
  }

  @Test
  void aDirectStatementSeesWhatWasEnqueuedBefore() throws Exception {
    inbox.run(
        InboxFixture.claims(inbox, InboxFixture.ids(2)),
        batch -> {
          batch.begin(0).enqueue(INSERT, "a");
          InboxTransaction second = batch.begin(1);
          second.enqueueUnordered(INSERT, "b");
          assertThat(
                  second
                      .handle()
                      .createQuery("select line from log order by line")
                      .mapTo(String.class)
                      .list())
              .containsExactly("a", "b");
        });
  }

  @Test
  void commutingWritesOfOneTextAreSentTogether() throws Exception {
    inbox.run(
        InboxFixture.claims(inbox, InboxFixture.ids(20)),
        batch -> {
          for (int index : batch.fresh()) {
            InboxTransaction tx = batch.begin(index);
            tx.enqueueUnordered(INSERT, "x" + index);
            tx.enqueueUnordered("insert into copied(line) values (?)", "y" + index);
          }
        });

    assertThat(fixture.count("log")).isEqualTo(20);
    assertThat(fixture.count("copied")).isEqualTo(20);
  }

  @Test
  void anOrderedWriteOvertakesNoCommutingOneOfItsOwnText() throws Exception {
    inbox.run(
        InboxFixture.claims(inbox, InboxFixture.ids(1)),
        batch -> {
          InboxTransaction tx = batch.begin(0);
          tx.enqueueUnordered(INSERT, "first");
          tx.enqueue(COPY, "nothing");
          tx.enqueue(INSERT, "second");
        });

    assertThat(fixture.text("select string_agg(line, ',' order by id) from log"))
        .isEqualTo("first,second");
  }

  @Test
  void everyArgumentTypeThatHandlersUseIsTaken() throws Exception {
    fixture.execute(
        "create table kinds (t text, i int, l bigint, b boolean, n numeric, u uuid, bytes bytea, at timestamptz)");
    UUID id = UUID.randomUUID();
    Instant at = Instant.parse("2026-01-02T03:04:05.678Z");
    byte[] bytes = "before".getBytes(StandardCharsets.UTF_8);
    inbox.run(
        InboxFixture.claims(inbox, InboxFixture.ids(1)),
        batch -> {
          InboxTransaction tx = batch.begin(0);
          String sql = "insert into kinds values (?, ?, ?, ?, ?, ?, ?, ?)";
          tx.enqueue(sql, "t", 1, 2L, true, new java.math.BigDecimal("3.4"), id, bytes, at);
          System.arraycopy("afters".getBytes(StandardCharsets.UTF_8), 0, bytes, 0, 6);
          tx.enqueue(sql, null, null, null, null, null, null, null, null);
        });

    assertThat(
            fixture.text(
                "select t||i||l||b||n||u||convert_from(bytes, 'UTF8')||extract(epoch from at) from kinds where t is not null"))
        .isEqualTo("t12true3.4" + id + "before" + "1767323045.678000");
  }

  @Test
  void aFailureNamesTheMessagesThatWereSentTogether() {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(3));

    assertThatThrownBy(
            () ->
                inbox.run(
                    claims,
                    batch -> {
                      batch.begin(0).enqueue(INSERT, "same");
                      batch.begin(1).enqueue(INSERT, "other");
                      batch.begin(2).enqueue(INSERT, "same");
                    }))
        .isInstanceOfSatisfying(
            EnqueuedWriteException.class,
            e -> {
              assertThat(e.candidates()).containsExactly(0, 1, 2);
              assertThat(e.sql()).isEqualTo(INSERT);
              assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("23505");
            });
    assertThat(fixture.count("log")).isZero();
    assertThat(fixture.count("idembox.inbox")).isZero();
  }

  @Test
  void aFailureOfOneMessageAloneNamesIt() {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(2));

    assertThatThrownBy(
            () ->
                inbox.run(
                    claims,
                    batch -> {
                      batch.begin(0).enqueue(INSERT, "fine");
                      batch
                          .begin(1)
                          .enqueue("insert into log(line) values (?::text)", (Object) null);
                    }))
        .isInstanceOfSatisfying(
            EnqueuedWriteException.class, e -> assertThat(e.candidates()).containsExactly(1));
  }

  @Test
  void anArgumentThatTheDriverCannotBindIsTheMessagesOwnFault() {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(1));

    assertThatThrownBy(
            () -> inbox.run(claims, batch -> batch.begin(0).enqueue(INSERT, new Object())))
        .isInstanceOfSatisfying(
            EnqueuedWriteException.class, e -> assertThat(e.candidates()).containsExactly(0));
  }

  /** The driver would take the missing one from the row before. */
  @Test
  void aMissingArgumentIsNeverTakenFromTheWriteBefore() {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(2));
    String sql = "insert into ledger(order_id, note) values (?, ?)";

    assertThatThrownBy(
            () ->
                inbox.run(
                    claims,
                    batch -> {
                      batch.begin(0).enqueue(sql, "o1", "note of o1");
                      batch.begin(1).enqueue(sql, "o2");
                    }))
        .isInstanceOfSatisfying(
            EnqueuedWriteException.class, e -> assertThat(e.candidates()).containsExactly(1))
        .hasMessageContaining("1 arguments");
    assertThat(fixture.count("ledger")).isZero();
  }

  @Test
  void aSwallowedFlushFailureIsNeverCommitted() {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(2));

    assertThatThrownBy(
            () ->
                inbox.run(
                    claims,
                    batch -> {
                      batch.begin(0).enqueue(INSERT, (Object) null);
                      InboxTransaction second = batch.begin(1);
                      try {
                        second.handle().execute("insert into copied values ('x')");
                      } catch (EnqueuedWriteException swallowed) {
                        // As a handler with a broad catch would.
                      }
                    }))
        .isInstanceOf(TransactionFailedException.class)
        .cause()
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23502"));
  }

  @Test
  void moreRowsThanFitOneGroupAreAllWritten() throws Exception {
    inbox.run(
        InboxFixture.claims(inbox, InboxFixture.ids(1)),
        batch -> {
          InboxTransaction tx = batch.begin(0);
          for (int i = 0; i < 10_000; i++) {
            tx.enqueue("insert into copied values (?)", "r" + i);
          }
        });

    assertThat(fixture.count("copied")).isEqualTo(10_000);
  }
}
