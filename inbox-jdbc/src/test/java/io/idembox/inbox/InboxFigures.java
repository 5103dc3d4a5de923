package io.idembox.inbox;

import io.idembox.effect.EffectCatalog;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The module's figures, each beside what somebody would write by hand, in the same run and in
 * turns, so that a busy machine hits both. Run it with {@code inbox-jdbc/figures [--json FILE]}.
 */
final class InboxFigures {
  private static final int BATCH = 500;
  private static final String LEDGER = "insert into ledger(order_id, amount) values (?, ?)";
  private static final String BARE_CLAIM =
      """
      insert into idembox.inbox (consumer_id, message_id, topic_id, partition, "offset")
      select ?, c.id, c.topic_id, c.partition, c."offset"
      from unnest(?::uuid[], ?::int2[], ?::int4[], ?::int8[]) as c(id, topic_id, partition, "offset")
      order by c.id
      on conflict do nothing
      returning message_id
      """;

  private final InboxFixtureLite database;
  private final Map<String, Double> figures = new LinkedHashMap<>();

  private InboxFigures(InboxFixtureLite database) {
    this.database = database;
  }

  public static void main(String[] args) throws Exception {
    List<String> arguments = Arrays.asList(args);
    int json = arguments.indexOf("--json");
    boolean quick = arguments.contains("--quick");
    try (EmbeddedPostgres postgres =
            EmbeddedPostgres.builder().setting("max_wal_size", "4GB").start();
        InboxFixtureLite database = new InboxFixtureLite(postgres)) {
      InboxFigures figures = new InboxFigures(database);
      figures.duplicates(quick ? 100 : 400);
      figures.firstPass(quick ? 200 : 600);
      String text =
          figures.figures.entrySet().stream()
              .map(e -> String.format(Locale.ROOT, "\"%s\": %.3f", e.getKey(), e.getValue()))
              .collect(Collectors.joining(",\n  ", "{\n  ", "\n}\n"));
      System.out.print(text);
      if (json >= 0) {
        Files.writeString(Path.of(arguments.get(json + 1)), text);
      }
    }
  }

  /** A database of its own with a pool. */
  static final class InboxFixtureLite implements AutoCloseable {
    final com.zaxxer.hikari.HikariDataSource pool;
    final ConsumerInbox inbox;
    final RegisteredConsumer consumer;

    InboxFixtureLite(EmbeddedPostgres postgres) throws SQLException {
      com.zaxxer.hikari.HikariConfig config = new com.zaxxer.hikari.HikariConfig();
      config.setJdbcUrl(postgres.jdbcUrl(postgres.createDatabase()));
      config.setMaximumPoolSize(4);
      pool = new com.zaxxer.hikari.HikariDataSource(config);
      IdemboxSchema.of(pool).migrate();
      JdbcInbox jdbc = JdbcInbox.builder(pool).build();
      consumer =
          jdbc.register(
              new ConsumerRegistration(
                  "figures", "figures", null, MessageIdResolver.defaults().fingerprint()));
      inbox = jdbc.open(consumer, EffectCatalog.of(), null);
      try (Connection c = pool.getConnection()) {
        c.createStatement().execute("create table ledger (order_id text not null, amount int)");
      }
    }

    @Override
    public void close() {
      pool.close();
    }
  }

  private List<InboxClaim> batch(int number, boolean fresh) {
    int topic = database.inbox.topicId(InboxFixture.TOPIC, "orders");
    List<InboxClaim> claims = new ArrayList<>(BATCH);
    for (int i = 0; i < BATCH; i++) {
      long offset = (long) number * BATCH + i;
      UUID id = fresh ? UUID.randomUUID() : new UUID(offset * 0x9E3779B97F4A7C15L, offset);
      claims.add(new InboxClaim(id, topic, 0, offset));
    }
    return claims;
  }

  private void duplicates(int rounds) throws Exception {
    List<List<InboxClaim>> batches = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      List<InboxClaim> claims = batch(i, false);
      batches.add(claims);
      database.inbox.run(claims, b -> {});
    }
    vacuum();
    long[] bare = new long[rounds];
    long[] ours = new long[rounds];
    for (int round = -50; round < rounds; round++) {
      // Each claims ids that the other has not just pulled into the processor's caches.
      List<InboxClaim> one = batches.get(Math.floorMod(2 * round, batches.size()));
      List<InboxClaim> two = batches.get(Math.floorMod(2 * round + 1, batches.size()));
      long start = System.nanoTime();
      int fresh = bareClaim(one);
      long middle = System.nanoTime();
      fresh += database.inbox.run(two, b -> {}).fresh().cardinality();
      long end = System.nanoTime();
      if (fresh != 0) {
        throw new IllegalStateException("A duplicate was fresh");
      }
      if (round >= 0) {
        bare[round] = middle - start;
        ours[round] = end - middle;
      }
    }
    String before = text("select pg_current_wal_insert_lsn()::text");
    for (List<InboxClaim> claims : batches) {
      database.inbox.run(claims, b -> {});
    }
    double wal =
        Double.parseDouble(text("select pg_current_wal_insert_lsn() - '" + before + "'::pg_lsn"));
    figures.put("duplicatesBarePerSecond", perSecond(bare));
    figures.put("duplicatesPerSecond", perSecond(ours));
    figures.put("duplicatesRatio", median(bare) / median(ours));
    figures.put("duplicatesWalBytesPerBatch", wal / batches.size());
  }

  private void firstPass(int rounds) throws Exception {
    long[] byHand = new long[rounds];
    long[] ours = new long[rounds];
    for (int round = -50; round < rounds; round++) {
      List<InboxClaim> one = batch(1_000_000 + 2 * round, true);
      List<InboxClaim> two = batch(1_000_001 + 2 * round, true);
      long start = System.nanoTime();
      byHand(one);
      long middle = System.nanoTime();
      database.inbox.run(
          two,
          b -> {
            for (int index : b.fresh()) {
              b.begin(index).enqueue(LEDGER, "order-" + two.get(index).offset(), index);
            }
          });
      long end = System.nanoTime();
      if (round >= 0) {
        byHand[round] = middle - start;
        ours[round] = end - middle;
      }
    }
    figures.put("firstPassByHandPerSecond", perSecond(byHand));
    figures.put("firstPassPerSecond", perSecond(ours));
    figures.put("firstPassRatio", median(byHand) / median(ours));
  }

  private static double perSecond(long[] nanos) {
    return BATCH * 1e9 / median(nanos);
  }

  /** Of the rounds: a machine that does something else at times spoils a mean. */
  private static double median(long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** What somebody would write who knows the statement. */
  private int bareClaim(List<InboxClaim> claims) throws SQLException {
    try (Connection c = database.pool.getConnection()) {
      return claim(c, claims).size();
    }
  }

  private void byHand(List<InboxClaim> claims) throws SQLException {
    try (Connection c = database.pool.getConnection()) {
      c.setAutoCommit(false);
      java.util.Set<UUID> fresh = claim(c, claims);
      try (PreparedStatement insert = c.prepareStatement(LEDGER)) {
        for (int i = 0; i < claims.size(); i++) {
          if (fresh.contains(claims.get(i).messageId())) {
            insert.setString(1, "order-" + claims.get(i).offset());
            insert.setInt(2, i);
            insert.addBatch();
          }
        }
        insert.executeBatch();
      }
      c.commit();
    }
  }

  private java.util.Set<UUID> claim(Connection c, List<InboxClaim> claims) throws SQLException {
    int n = claims.size();
    UUID[] ids = new UUID[n];
    Short[] topics = new Short[n];
    Integer[] partitions = new Integer[n];
    Long[] offsets = new Long[n];
    for (int i = 0; i < n; i++) {
      InboxClaim claim = claims.get(i);
      ids[i] = claim.messageId();
      topics[i] = (short) claim.topicId();
      partitions[i] = claim.partition();
      offsets[i] = claim.offset();
    }
    try (PreparedStatement statement = c.prepareStatement(BARE_CLAIM)) {
      statement.setShort(1, database.consumer.id());
      statement.setArray(2, c.createArrayOf("uuid", ids));
      statement.setArray(3, c.createArrayOf("int2", topics));
      statement.setArray(4, c.createArrayOf("int4", partitions));
      statement.setArray(5, c.createArrayOf("int8", offsets));
      java.util.Set<UUID> fresh = new java.util.HashSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          fresh.add(rows.getObject(1, UUID.class));
        }
      }
      return fresh;
    }
  }

  private void vacuum() throws SQLException {
    try (Connection c = database.pool.getConnection()) {
      c.createStatement().execute("vacuum analyze idembox.inbox");
    }
  }

  private String text(String sql) {
    return InboxFixture.text(database.pool, sql);
  }
}
