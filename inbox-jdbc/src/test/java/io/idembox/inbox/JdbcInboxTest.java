package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.InMemoryEffectStore;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Starting: checks, registration, settings. */
@WithServers(WithServers.Server.POSTGRES)
final class JdbcInboxTest {
  private static TestScope scope;
  private InboxFixture fixture;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void theDefaultsAre() {
    assertThat(JdbcInbox.DEFAULT_LOCK_TIMEOUT).isEqualTo(Duration.ofSeconds(2));
    assertThat(JdbcInbox.DEFAULT_STATEMENT_TIMEOUT).isEqualTo(Duration.ofSeconds(30));
    assertThat(JdbcInbox.DEFAULT_EFFECT_TIMEOUT).isEqualTo(Duration.ofSeconds(30));
    assertThat(JdbcInbox.DEFAULT_JOURNAL_LEASE).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void contradictingTimeoutsAreRefused() {
    JdbcInbox.Builder builder = JdbcInbox.builder(fixture.pool);

    assertThatThrownBy(() -> builder.lockTimeout(Duration.ofMinutes(1)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lockTimeout");
    assertThatThrownBy(
            () ->
                JdbcInbox.builder(fixture.pool)
                    .idleInTransactionTimeout(Duration.ofSeconds(10))
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("idleInTransactionTimeout");
  }

  @Test
  void aDatabaseWithTheSchemaPassesTheCheck() {
    fixture.inbox.check();
  }

  @Test
  void aDatabaseWithoutTheSchemaIsNamedWithTheRemedy() {
    PGSimpleDataSource empty = new PGSimpleDataSource();
    empty.setUrl(fixture.database.jdbcUrl().replace("/" + fixture.database.name(), "/postgres"));
    empty.setUser(fixture.database.user());
    empty.setPassword(fixture.database.password());

    assertThatThrownBy(() -> JdbcInbox.builder(empty).build().check())
        .isInstanceOf(InboxSchemaMismatchException.class)
        .hasMessageContaining(fixture.database.host() + ":" + fixture.database.port() + "/postgres")
        .hasMessageContaining("migrate()");
  }

  @Test
  void anUnreachableServerIsNamedWithoutThePassword() {
    PGSimpleDataSource nowhere = new PGSimpleDataSource();
    nowhere.setUrl("jdbc:postgresql://localhost:1/shop?password=hunter2");

    assertThatThrownBy(() -> JdbcInbox.builder(nowhere).build().check())
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("localhost:1/shop")
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void aReadOnlyServerFailsTheCheck() {
    PGSimpleDataSource readOnly = new PGSimpleDataSource();
    readOnly.setUrl(fixture.database.jdbcUrl());
    readOnly.setUser(fixture.database.user());
    readOnly.setPassword(fixture.database.password());
    readOnly.setOptions("-c default_transaction_read_only=on");

    assertThatThrownBy(() -> JdbcInbox.builder(readOnly).build().check())
        .isInstanceOf(InboxUnavailableException.class)
        .hasMessageContaining("read-only");
  }

  /** And not when the right is needed first: that to delete by the first row past its retention. */
  @Test
  void aRightThatIsMissingIsNamedAtTheStart() throws Exception {
    String role = "half_" + fixture.database.name();
    fixture.execute("create role " + role + " login");
    HikariConfig config = InboxFixture.poolConfig(fixture.database, 1);
    config.setUsername(role);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      JdbcInbox app = JdbcInbox.builder(pool).build();
      app.check();
      assertThatThrownBy(app::checkRights)
          .isInstanceOf(InboxUnavailableException.class)
          .hasMessageContaining(role)
          .hasMessageContaining("usage on schema idembox")
          .hasMessageContaining("insert on idembox.inbox")
          .hasMessageContaining("usage on sequence idembox.effect_place");

      fixture.execute(
          """
          grant usage on schema idembox to %1$s;
          grant select, insert, update, delete on all tables in schema idembox to %1$s;
          grant usage on all sequences in schema idembox to %1$s;
          revoke delete on idembox.inbox from %1$s;
          revoke delete on idembox.audit from %1$s
          """
              .formatted(role));
      assertThatThrownBy(app::checkRights)
          .hasMessageContaining("lacks rights")
          .hasMessageContaining(": delete on idembox.inbox;")
          .hasMessageNotContaining("audit");
    } finally {
      fixture.execute("drop owned by " + role + "; drop role " + role);
    }
  }

  /** Statements of this version need what its last migration made. */
  @Test
  void aSchemaOfTheVersionBeforeIsNamedWithTheRemedy() throws Exception {
    fixture.execute("alter index idembox.effect_to_sweep rename to effect_to_sweep_of_later");
    try {
      assertThatThrownBy(() -> fixture.inbox.check())
          .isInstanceOf(InboxSchemaMismatchException.class)
          .hasMessageContaining("older than this version needs")
          .hasMessageContaining("idembox migrate");
    } finally {
      fixture.execute("alter index idembox.effect_to_sweep_of_later rename to effect_to_sweep");
    }
  }

  /** The grants that the README names are all that a running consumer needs. */
  @Test
  void aRoleThatMayOnlyReadAndWriteRunsEverything() throws Exception {
    String role = "app_" + fixture.database.name();
    fixture.execute(
        """
        create role %1$s login;
        grant usage on schema idembox to %1$s;
        grant select, insert, update, delete on all tables in schema idembox to %1$s;
        grant usage on all sequences in schema idembox to %1$s;
        grant usage on schema public to %1$s;
        grant insert on ledger to %1$s
        """
            .formatted(role));
    HikariConfig config = InboxFixture.poolConfig(fixture.database, 2);
    config.setUsername(role);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      JdbcInbox app = JdbcInbox.builder(pool).build();
      app.check();
      app.checkRights();
      app.bindCluster("cluster-of-" + role);
      RegisteredConsumer registered =
          app.register(new ConsumerRegistration("app", "app", null, InboxFixture.RESOLVER));
      ConsumerInbox inbox = app.open(registered, EffectCatalog.of(), null);
      UUID id = UUID.randomUUID();
      for (int delivery = 0; delivery < 3; delivery++) {
        inbox.run(
            InboxFixture.claims(inbox, id),
            batch -> {
              for (int i : batch.fresh()) {
                InboxTransaction tx = batch.begin(i);
                tx.enqueue("insert into ledger(order_id) values ('x')");
                tx.handle().execute("set local work_mem = '5MB'");
              }
            });
      }
      InboxPartition p0 = new InboxPartition(inbox.topicId(InboxFixture.TOPIC, "orders"), 0);
      PartitionProgress known = inbox.progress().open(List.of(p0), UUID.randomUUID()).get(0);
      inbox
          .progress()
          .grow(List.of(ProgressGrowth.done(known, OffsetRanges.of(0, 1), known.serverTimeline())));
      inbox.pruner(PrunePolicy.DEFAULT).slice(List.of(p0));
      inbox.attempts().failed(UUID.randomUUID(), Duration.ZERO, "x");
      inbox
          .deadLetters()
          .record(
              new DeadLetterDraft(
                  InboxFixture.claims(inbox, UUID.randomUUID()).get(0),
                  new DeadLetterContent(null, null, List.of(), null),
                  DeadLetterError.of("x", "x", "x"),
                  1,
                  null));
      assertThat(inbox.journal().unfinished()).isZero();
    } finally {
      fixture.execute("update idembox.installation set kafka_cluster_id = null");
      fixture.execute("drop owned by " + role + "; drop role " + role);
    }
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  @Test
  void aConsumerKeepsItsNumberAndNamespace() {
    RegisteredConsumer again =
        fixture.inbox.register(
            new ConsumerRegistration("billing", "billing", null, InboxFixture.RESOLVER));

    assertThat(again).isEqualTo(fixture.consumer);
    assertThat(again.namespace()).isEqualTo("billing@" + again.installationId());
  }

  @Test
  void membersThatStartTogetherGetTheSameNumberAndBurnNoOthers() throws Exception {
    ExecutorService members = Executors.newFixedThreadPool(8);
    try {
      List<RegisteredConsumer> registered =
          members
              .invokeAll(
                  IntStream.range(0, 8)
                      .<java.util.concurrent.Callable<RegisteredConsumer>>mapToObj(
                          i ->
                              () ->
                                  fixture.inbox.register(
                                      new ConsumerRegistration(
                                          "n", "n", null, InboxFixture.RESOLVER)))
                      .toList())
              .stream()
              .map(JdbcInboxTest::get)
              .toList();
      assertThat(registered).containsOnly(registered.get(0));
    } finally {
      members.shutdown();
    }
    RegisteredConsumer next =
        fixture.inbox.register(
            new ConsumerRegistration("next", "next", null, InboxFixture.RESOLVER));
    assertThat(next.id()).isEqualTo((short) (fixture.consumer.id() + 2));
  }

  @Test
  void aChangedNamespaceIsRefused() {
    assertThatThrownBy(
            () ->
                fixture.inbox.register(
                    new ConsumerRegistration("billing", "billing", "other", InboxFixture.RESOLVER)))
        .isInstanceOf(RegistrationException.class)
        .hasMessageContaining("namespace");
  }

  @Test
  void changedIdentityRulesAreRefusedUntilAccepted() {
    ConsumerRegistration changed =
        new ConsumerRegistration("billing", "billing", null, "v1 header=other");

    assertThatThrownBy(() -> fixture.inbox.register(changed))
        .isInstanceOf(RegistrationException.class)
        .hasMessageContaining("header=other")
        .hasMessageContaining("header=message-id");
    fixture.inbox.register(changed.acceptResolverChange());
    fixture.inbox.register(changed);
  }

  @Test
  void aRenamedConsumerTakesOverTheEffectNamespaceOnceTheOldNameIsGone() {
    RegisteredConsumer beside =
        fixture.inbox.register(
            new ConsumerRegistration("invoicing", "billing", null, InboxFixture.RESOLVER));
    assertThat(beside.namespace()).isEqualTo("invoicing@" + beside.installationId());

    fixture.execute("update idembox.consumer set seen_at = now() - interval '2 minutes'");
    RegisteredConsumer renamed =
        fixture.inbox.register(
            new ConsumerRegistration("accounts", "billing", null, InboxFixture.RESOLVER));

    assertThat(renamed.id()).isNotEqualTo(fixture.consumer.id());
    assertThat(renamed.namespace()).isIn(fixture.consumer.namespace(), beside.namespace());
  }

  @Test
  void topicsAreInternedByTheirKafkaIdAndName() {
    ConsumerInbox inbox = fixture.open();
    UUID again = UUID.randomUUID();

    int id = inbox.topicId(InboxFixture.TOPIC, "orders");
    assertThat(inbox.topicId(InboxFixture.TOPIC, "orders")).isEqualTo(id);
    assertThat(fixture.open().topicId(InboxFixture.TOPIC, "orders")).isEqualTo(id);
    assertThat(inbox.topicId(again, "orders")).isEqualTo(id + 1);
  }

  @Test
  void aGuardOfAnotherNamespaceIsRefused() {
    try (EffectGuard guard =
        EffectGuard.builder(new InMemoryEffectStore()).namespace("elsewhere").build()) {
      assertThatThrownBy(() -> fixture.inbox.open(fixture.consumer, EffectCatalog.of(), guard))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("elsewhere");
    }
  }

  private static RegisteredConsumer get(java.util.concurrent.Future<RegisteredConsumer> future) {
    try {
      return future.get();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
