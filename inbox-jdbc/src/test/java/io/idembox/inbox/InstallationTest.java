package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A database belongs to one Kafka cluster, until somebody says otherwise. */
@WithServers(WithServers.Server.POSTGRES)
final class InstallationTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final EffectKey KEY = EffectKey.of("mail.invoice").id("9");
  private static final ConsumerRegistration BILLING =
      new ConsumerRegistration("billing", "billing", null, InboxFixture.RESOLVER);

  private static TestScope scope;
  private InboxFixture fixture;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    fixture.execute("update idembox.installation set kafka_cluster_id = null");
    fixture.inbox.bindCluster("cluster-a");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void anotherClusterIsRefusedUntilSomebodySaysWhatHappened() {
    assertThatCode(() -> fixture.inbox.bindCluster("cluster-a")).doesNotThrowAnyException();
    assertThatThrownBy(() -> fixture.inbox.bindCluster("cluster-b"))
        .isInstanceOf(ClusterMismatchException.class)
        .hasMessageContaining("cluster-a")
        .hasMessageContaining("cluster-b")
        .hasMessageContaining("COPY")
        .hasMessageContaining("MOVED");
  }

  @Test
  void movedTopicsKeepTheEffectsOfTheDatabase() {
    fixture.inbox.adoptCluster("cluster-b", ClusterChange.MOVED);

    fixture.inbox.bindCluster("cluster-b");
    assertThat(fixture.inbox.register(BILLING)).isEqualTo(fixture.consumer);
  }

  @Test
  void aCopiedDatabaseGetsNamespacesOfItsOwnAndStillKnowsWhatIsDone() throws Exception {
    ConsumerInbox before = fixture.open(MAIL);
    InboxRun run = ask(before);
    before.journal().settle(List.of(Settlement.done(run.intents().get(0), null)));

    fixture.inbox.adoptCluster("cluster-b", ClusterChange.COPY);
    RegisteredConsumer copied = fixture.inbox.register(BILLING);

    assertThat(copied.installationId()).isNotEqualTo(fixture.consumer.installationId());
    assertThat(copied.namespace()).isEqualTo("billing@" + copied.installationId());
    ConsumerInbox after = fixture.inbox.open(copied, EffectCatalog.of(MAIL), null);
    assertThat(after.decisions().find(KEY).orElseThrow().state()).isEqualTo(EffectState.DONE);
    assertThat(ask(after).intents()).isEmpty();
  }

  @Test
  void aNamespaceChosenByHandIsSharedOnPurpose() {
    RegisteredConsumer shared =
        fixture.inbox.register(
            new ConsumerRegistration("notify", "notify", "company-mail", InboxFixture.RESOLVER));

    fixture.inbox.adoptCluster("cluster-b", ClusterChange.COPY);

    assertThat(
            fixture
                .inbox
                .register(new ConsumerRegistration("notify", "notify", null, InboxFixture.RESOLVER))
                .namespace())
        .isEqualTo(shared.namespace());
  }

  private static InboxRun ask(ConsumerInbox inbox) throws Exception {
    return inbox.run(
        InboxFixture.claims(inbox, UUID.randomUUID()),
        b -> b.begin(0).effects().afterCommit(MAIL.name(), KEY, "x"));
  }
}
