package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.EffectCatalog;
import io.idembox.testkit.FaultRelay;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** C30: the connection is lost while COMMIT is in flight, on the wire. */
final class CommitFaultsTest {
  private OwnServer server;
  private FaultRelay relay;
  private HikariDataSource pool;
  private ConsumerInbox inbox;

  @BeforeEach
  void start() {
    server = new OwnServer();
    relay = FaultRelay.to(server.postgres.port());
    pool =
        OwnServer.pool(
            server
                .postgres
                .jdbcUrl(server.database)
                .replace(":" + server.postgres.port() + "/", ":" + relay.port() + "/"),
            2);
    inbox = JdbcInbox.builder(pool).build().open(server.consumer, EffectCatalog.of(), null);
  }

  @AfterEach
  void stop() {
    pool.close();
    relay.close();
    server.close();
  }

  @Test
  void c30TheAnswerToCommitIsLostAndTheRetryRecognisesTheRow() throws Exception {
    UUID id = UUID.randomUUID();
    inbox.topicId(InboxFixture.TOPIC, "orders");
    relay.dropReplyContaining("COMMIT");

    outcomeUnknown(id);

    InboxRun again = inbox.run(InboxFixture.claims(inbox, id), OwnServer::writeLedger);
    assertThat(again.fresh().isEmpty()).isTrue();
    assertThat(server.count("ledger")).isEqualTo(1);
    assertThat(server.count("idembox.inbox")).isEqualTo(1);
  }

  @Test
  void c30TheCommitItselfIsLostAndTheRetryHandlesIt() throws Exception {
    UUID id = UUID.randomUUID();
    inbox.topicId(InboxFixture.TOPIC, "orders");
    relay.dropRequest("\ncommit");

    outcomeUnknown(id);

    InboxRun again = inbox.run(InboxFixture.claims(inbox, id), OwnServer::writeLedger);
    assertThat(again.fresh().cardinality()).isEqualTo(1);
    assertThat(server.count("ledger")).isEqualTo(1);
    assertThat(server.count("idembox.inbox")).isEqualTo(1);
  }

  private void outcomeUnknown(UUID id) {
    assertThatThrownBy(() -> inbox.run(InboxFixture.claims(inbox, id), OwnServer::writeLedger))
        .isInstanceOfSatisfying(
            InboxStatementException.class, e -> assertThat(e.outcomeUnknown()).isTrue());
  }
}
