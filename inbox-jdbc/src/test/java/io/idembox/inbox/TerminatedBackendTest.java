package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.FaultyDataSource.When;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An administrator terminates the backend at each step of a transaction. */
@WithServers(WithServers.Server.POSTGRES)
final class TerminatedBackendTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());

  private static TestScope scope;
  private InboxFixture fixture;
  private FaultyDataSource faulty;
  private ConsumerInbox inbox;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    faulty = new FaultyDataSource(fixture.pool);
    inbox = JdbcInbox.builder(faulty).build().open(fixture.consumer, EffectCatalog.of(MAIL), null);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @ParameterizedTest
  @CsvSource({
    "BEFORE, insert into idembox.inbox, 1",
    "AFTER,  insert into idembox.inbox, 1",
    "BEFORE, insert into ledger,        1",
    "AFTER,  insert into ledger,        1",
    "BEFORE, insert into idembox.effect,1",
    "AFTER,  insert into idembox.effect,1",
    "BEFORE, ';\ncommit',               1",
    "AFTER,  ';\ncommit',               0"
  })
  void nothingIsHalfDoneAndTheMessageIsHandledOnce(When when, String step, int failures)
      throws Exception {
    UUID id = UUID.randomUUID();
    InboxFixture.claims(inbox, id);
    faulty.actOnce(when, step, this::terminate);

    if (failures > 0) {
      assertThatThrownBy(() -> handle(id)).isInstanceOf(InboxException.class);
      assertThat(fixture.count("ledger")).isZero();
      assertThat(fixture.count("idembox.inbox")).isZero();
    } else {
      handle(id);
    }
    // The pool may still hand out the connection that was terminated.
    Awaitility.await()
        .ignoreExceptionsInstanceOf(InboxException.class)
        .untilAsserted(() -> handle(id));
    handle(id);

    assertThat(faulty.hasCut()).isTrue();
    assertThat(fixture.count("ledger")).isEqualTo(1);
    assertThat(fixture.count("idembox.inbox")).isEqualTo(1);
    assertThat(fixture.count("idembox.effect")).isEqualTo(1);
  }

  private void terminate(Connection victim) throws SQLException {
    int pid = victim.unwrap(org.postgresql.PGConnection.class).getBackendPID();
    try (Connection admin = fixture.pool.getConnection();
        Statement statement = admin.createStatement()) {
      statement.execute("select pg_terminate_backend(" + pid + ")");
    }
    Awaitility.await().until(() -> fixture.count("pg_stat_activity where pid = " + pid) == 0);
  }

  private void handle(UUID id) throws Exception {
    inbox.run(
        List.of(InboxFixture.claims(inbox, id).get(0)),
        batch -> {
          for (int index : batch.fresh()) {
            InboxTransaction tx = batch.begin(index);
            tx.enqueue("insert into ledger(order_id) values (?)", "o");
            tx.effects().afterCommit(MAIL.name(), EffectKey.of("m").id("o"), "x");
          }
        });
  }
}
