package io.idembox.inbox.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.ConsumerRegistration;
import io.idembox.inbox.InboxClaim;
import io.idembox.inbox.JdbcInbox;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.inbox.RegisteredConsumer;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A server with production settings, a fresh database on it, and a consumer. */
final class FigureDatabase implements AutoCloseable {
  static final UUID TOPIC = UUID.fromString("00000000-0000-4000-8000-00000000000a");

  final HikariDataSource pool;
  final RegisteredConsumer consumer;
  final ConsumerInbox inbox;
  final int topic;
  private final EmbeddedPostgres postgres;

  FigureDatabase(Effect<?, ?>... effects) throws SQLException {
    postgres =
        EmbeddedPostgres.builder()
            .setting("shared_buffers", "1GB")
            .setting("max_wal_size", "8GB")
            .setting("checkpoint_timeout", "15min")
            .start();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(postgres.jdbcUrl(postgres.createDatabase()));
    config.setMaximumPoolSize(4);
    pool = new HikariDataSource(config);
    IdemboxSchema.of(pool).migrate();
    JdbcInbox jdbc = JdbcInbox.builder(pool).build();
    consumer =
        jdbc.register(
            new ConsumerRegistration(
                "figures", "figures", null, MessageIdResolver.defaults().fingerprint()));
    inbox = jdbc.open(consumer, EffectCatalog.of(effects), null);
    topic = inbox.topicId(TOPIC, "orders");
    execute("create table ledger (order_id text not null, amount int)");
  }

  /** Claims with random ids (as UUIDs of version 4 and hashes are) at ascending offsets. */
  List<InboxClaim> randomClaims(long firstOffset, int count) {
    List<InboxClaim> claims = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      claims.add(new InboxClaim(UUID.randomUUID(), topic, 0, firstOffset + i));
    }
    return claims;
  }

  /** The same with ids that grow with time, as UUIDs of version 7 and coordinates do. */
  List<InboxClaim> orderedClaims(long firstOffset, int count) {
    List<InboxClaim> claims = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long millis = 1_790_000_000_000L + firstOffset + i;
      UUID random = UUID.randomUUID();
      UUID id =
          new UUID(
              (millis << 16) | 0x7000L | (random.getMostSignificantBits() & 0xfffL),
              random.getLeastSignificantBits());
      claims.add(new InboxClaim(id, topic, 0, firstOffset + i));
    }
    return claims;
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  double number(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getDouble(1);
    }
  }

  String text(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  @Override
  public void close() {
    pool.close();
    postgres.close();
  }
}
