package io.idembox.inbox;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A server that a test may kill, with a migrated database and the usual consumer. */
final class OwnServer implements AutoCloseable {
  final EmbeddedPostgres postgres;
  final String database;
  final HikariDataSource pool;
  final RegisteredConsumer consumer;

  OwnServer() {
    this(EmbeddedPostgres.builder().setting("max_connections", "30").start());
  }

  OwnServer(EmbeddedPostgres postgres) {
    this.postgres = postgres;
    this.database = postgres.createDatabase();
    this.pool = pool(postgres.jdbcUrl(database), 4);
    IdemboxSchema.of(pool).migrate();
    this.consumer =
        JdbcInbox.builder(pool)
            .build()
            .register(new ConsumerRegistration("billing", "billing", null, InboxFixture.RESOLVER));
    execute("create table ledger (order_id text not null, amount int, note text)");
  }

  static HikariDataSource pool(String jdbcUrl, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl);
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(5_000);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  ConsumerInbox open(Effect<?, ?>... effects) {
    return JdbcInbox.builder(pool).build().open(consumer, EffectCatalog.of(effects), null);
  }

  /** Runs until it is through, whatever fails on the way; answers how often it failed. */
  static int runThrough(ConsumerInbox inbox, UUID[] ids) {
    for (int failures = 0; ; failures++) {
      try {
        inbox.run(InboxFixture.claims(inbox, ids), batch -> writeLedger(batch));
        return failures;
      } catch (Exception e) {
        if (failures > 100) {
          throw new IllegalStateException("No end to the failures", e);
        }
      }
    }
  }

  static void writeLedger(InboxBatch batch) {
    for (int index : batch.fresh()) {
      batch.begin(index).enqueue("insert into ledger(order_id) values (?)", "o" + index);
    }
  }

  void execute(String sql) {
    execute(database, sql);
  }

  void execute(String inDatabase, String sql) {
    try (Connection connection = postgres.dataSource(inDatabase).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  long count(String from) {
    return Long.parseLong(text("select count(*) from " + from));
  }

  /** On a connection of its own: those of the pool may have died with the server. */
  @Nullable String text(String sql) {
    return InboxFixture.text(postgres.dataSource(database), sql);
  }

  @Override
  public void close() {
    pool.close();
    postgres.close();
  }
}
