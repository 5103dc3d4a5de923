package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectCatalog;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is counted. */
@WithServers(WithServers.Server.POSTGRES)
final class InboxMetricsTest {
  private static TestScope scope;
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private InboxFixture fixture;
  private FaultyDataSource faulty;
  private ConsumerInbox inbox;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    faulty = new FaultyDataSource(fixture.pool);
    inbox =
        JdbcInbox.builder(faulty)
            .metrics(MicrometerInboxMetrics.of(registry))
            .build()
            .open(fixture.consumer, EffectCatalog.of(), null);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void theSourceOfEachIdentityIsCounted() {
    MessageIdResolver resolver =
        MessageIdResolver.builder().metrics(MicrometerInboxMetrics.of(registry)).build();

    resolver.resolve(TestRecord.at(0, 0));
    resolver.resolve(TestRecord.at(0, 1));
    resolver.resolve(TestRecord.at(0, 2).header("message-id", "x"));
    resolver.resolve(TestRecord.at(0, 3).header("message-id", ""));

    assertThat(count("idembox.inbox.identities", "source", "coordinates")).isEqualTo(2);
    assertThat(count("idembox.inbox.identities", "source", "header")).isEqualTo(1);
    assertThat(count("idembox.inbox.identities", "source", "cloud_event")).isZero();
    assertThat(count("idembox.inbox.unusable.ids")).isEqualTo(1);
  }

  @Test
  void freshMessagesAndDuplicatesAreCounted() throws Exception {
    UUID[] ids = InboxFixture.ids(3);
    inbox.run(InboxFixture.claims(inbox, ids), b -> {});
    inbox.run(InboxFixture.claims(inbox, ids), b -> {});
    inbox.run(InboxFixture.claims(inbox, ids), b -> {});

    assertThat(count("idembox.inbox.messages", "result", "fresh")).isEqualTo(3);
    assertThat(count("idembox.inbox.messages", "result", "duplicate")).isEqualTo(6);
  }

  /** C23: the row tells which record the duplicate was handled as. */
  @Test
  void c23DuplicatesOfAnotherTopicsRowAreSampledAndFound() throws Exception {
    UUID id = UUID.randomUUID();
    int orders = inbox.topicId(InboxFixture.TOPIC, "orders");
    int copy = inbox.topicId(UUID.randomUUID(), "orders-copy");
    inbox.run(List.of(new InboxClaim(id, orders, 3, 7)), b -> {});

    inbox.run(List.of(new InboxClaim(id, copy, 1, 9)), b -> assertThat(b.fresh()).isEmpty());

    assertThat(count("idembox.inbox.refused.by.another.topic")).isEqualTo(1);
    InboxRow row = inbox.rowsOf(List.of(id, UUID.randomUUID())).get(id);
    assertThat(row.topic()).isEqualTo("orders");
    assertThat(row.claim().partition()).isEqualTo(3);
    assertThat(row.claim().offset()).isEqualTo(7);
  }

  @Test
  void aCommitWithoutAnAnswerIsCounted() {
    faulty.cutOnce(FaultyDataSource.When.AFTER, ";\ncommit");

    org.assertj.core.api.Assertions.assertThatThrownBy(
            () -> inbox.run(InboxFixture.claims(inbox, UUID.randomUUID()), b -> {}))
        .isInstanceOf(InboxStatementException.class);

    assertThat(count("idembox.inbox.commits.unknown")).isEqualTo(1);
  }

  private double count(String name, String... tags) {
    return registry.get(name).tags(tags).counter().count();
  }
}
