package io.idembox.inbox;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.TestScope;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A migrated database of a test's own, a pool on it, and the usual consumer. */
final class InboxFixture implements AutoCloseable {
  static final String RESOLVER = MessageIdResolver.defaults().fingerprint();
  static final UUID TOPIC = UUID.fromString("00000000-0000-4000-8000-00000000000a");

  private static final Map<TestScope, TestScope.Database> databases = new WeakHashMap<>();

  final TestScope.Database database;
  final HikariDataSource pool;
  final JdbcInbox inbox;
  final RegisteredConsumer consumer;

  InboxFixture(TestScope scope) {
    this(scope, 8, UnaryOperator.identity());
  }

  /**
   * Copying a database costs more than most tests: one serves all tests of a class, emptied before
   * each.
   *
   * @param classScope the scope of the test class, from a static field
   */
  InboxFixture(TestScope classScope, int connections, UnaryOperator<JdbcInbox.Builder> settings) {
    this.database =
        databases.computeIfAbsent(
            classScope, s -> s.postgres("idembox", ds -> IdemboxSchema.of(ds).migrate()));
    this.pool = pool(database, connections);
    execute(
        """
        drop schema public cascade;
        create schema public;
        truncate idembox.inbox, idembox.effect, idembox.effect_flight, idembox.dead_letter, idembox.attempt, idembox.progress,
          idembox.consumer, idembox.topic, idembox.effect_namespace restart identity cascade
        """);
    execute("alter database " + database.name() + " reset all");
    this.inbox = settings.apply(JdbcInbox.builder(pool)).build();
    this.consumer = inbox.register(new ConsumerRegistration("billing", "billing", null, RESOLVER));
    execute("create table ledger (order_id text not null, amount int, note text)");
  }

  static HikariDataSource pool(TestScope.Database database, int connections) {
    return new HikariDataSource(poolConfig(database, connections));
  }

  static HikariConfig poolConfig(TestScope.Database database, int connections) {
    HikariConfig config = new HikariConfig();
    // Without the user in it, which would go before that of setUsername.
    config.setJdbcUrl(
        "jdbc:postgresql://%s:%d/%s".formatted(database.host(), database.port(), database.name()));
    config.setUsername(database.user());
    config.setPassword(database.password());
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(1);
    return config;
  }

  /** All leases end, and what is put off is due. */
  void makeDue() {
    makeDue("true");
  }

  /** The same for some effects; a flight is due with any of its own. */
  void makeDue(String which) {
    execute(
        """
        update idembox.effect e set due_at = now(), sweep_at = case when sweep_at is not null then now() end
        where due_at is not null and (%s)
        """
            .formatted(which));
    execute("update idembox.effect_flight set due_at = now()");
  }

  ConsumerInbox open(Effect<?, ?>... effects) {
    return inbox.open(consumer, EffectCatalog.of(effects), null);
  }

  /** Claims at offsets 0, 1, 2, ... of partition 0. */
  static List<InboxClaim> claims(ConsumerInbox inbox, UUID... ids) {
    int topic = inbox.topicId(TOPIC, "orders");
    List<InboxClaim> claims = new ArrayList<>();
    for (int i = 0; i < ids.length; i++) {
      claims.add(new InboxClaim(ids[i], topic, 0, i));
    }
    return claims;
  }

  static UUID[] ids(int count) {
    UUID[] ids = new UUID[count];
    for (int i = 0; i < count; i++) {
      ids[i] = UUID.randomUUID();
    }
    return ids;
  }

  void execute(String sql) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  long count(String from) {
    return Long.parseLong(text("select count(*) from " + from));
  }

  String text(String sql) {
    return text(pool, sql);
  }

  static String text(DataSource source, String sql) {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    pool.close();
  }

  /** An effect that is never performed here: the journal's tests play the guard's part. */
  record NamedEffect(EffectName<String, String> name, EffectPolicy policy)
      implements Effect<String, String> {
    static NamedEffect of(String name, EffectPolicy policy) {
      return new NamedEffect(EffectName.of(name, String.class, String.class), policy);
    }

    @Override
    public @Nullable String perform(String request, EffectAttempt attempt) {
      return "done";
    }
  }
}
