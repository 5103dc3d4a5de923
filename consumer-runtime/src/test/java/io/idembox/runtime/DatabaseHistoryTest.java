package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedPostgres;
import io.idembox.testkit.TestScope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** C31 and P3: a database that has lost what it acknowledged. */
class DatabaseHistoryTest extends ConsumerTestBase {
  private static final int BEFORE = 30;
  private static final int LOST = 30;

  @TempDir private Path copies;
  private EmbeddedPostgres postgres;
  private DataSource direct;

  DatabaseHistoryTest(TestScope scope) {
    super(scope);
  }

  @BeforeEach
  void ownServer() throws Exception {
    postgres = EmbeddedPostgres.builder().setting("max_connections", "40").start();
    String name = postgres.createDatabase();
    direct = postgres.dataSource(name);
    IdemboxSchema.of(direct).migrate();
    Sink.createTables(direct);
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(postgres.jdbcUrl(name));
    pool.setConnectionTimeout(3_000);
    pool.setMinimumIdle(0);
    pool.setInitializationFailTimeout(-1);
    database.close();
    database = new HikariDataSource(pool);
  }

  @AfterEach
  void stopServer() {
    consumers.forEach(InboxConsumer::close);
    postgres.close();
  }

  @Test
  void aDatabaseThatWasSetBackWhileNobodyRanIsMadeUpFor() throws Exception {
    produce(0, BEFORE);
    runUntilCommitted(BEFORE);
    copyStopped();
    produce(BEFORE, BEFORE + LOST);
    runUntilCommitted(BEFORE + LOST);

    restoreCopy();
    assertThat(ledger()).as("the copy knows less").isEqualTo(BEFORE);
    InboxConsumer consumer = started(Orders::book);
    awaitLedger(BEFORE + LOST);
    awaitSettled(consumer);

    assertThat(log.complainsOf("the database knows less")).isTrue();
    assertThat(DatabaseRows.count(direct, "select count(distinct order_id) from ledger"))
        .isEqualTo(BEFORE + LOST);
  }

  @Test
  void aDatabaseThatIsSetBackWhileTheConsumerRunsIsMadeUpFor() throws Exception {
    produce(0, BEFORE);
    runUntilCommitted(BEFORE);
    copyStopped();
    InboxConsumer consumer = started(Orders::book);
    produce(BEFORE, BEFORE + LOST);
    awaitCommitted(BEFORE + LOST);
    awaitSettled(consumer);

    restoreCopy();
    produce(BEFORE + LOST, BEFORE + LOST + 3);
    awaitLedger(BEFORE + LOST + 3);

    assertThat(log.complainsOf("it was set back")).isTrue();
    awaitCommitted(BEFORE + LOST + 3);
  }

  /** Nothing new comes in: the member must find out by itself. */
  @Test
  void anIdleConsumerNoticesThatItsDatabaseWasSetBack() throws Exception {
    produce(0, BEFORE);
    runUntilCommitted(BEFORE);
    copyStopped();
    InboxConsumer consumer = started(Orders::book);
    produce(BEFORE, BEFORE + LOST);
    awaitCommitted(BEFORE + LOST);
    awaitSettled(consumer);

    restoreCopy();

    awaitLedger(BEFORE + LOST);
  }

  /** A standby that lagged behind takes over, on a timeline of its own. */
  @Test
  void whatALaggingStandbyNeverSawIsReadAgain() throws Exception {
    produce(0, BEFORE);
    runUntilCommitted(BEFORE);
    copyStopped();
    InboxConsumer consumer = started(Orders::book);
    produce(BEFORE, BEFORE + LOST);
    awaitCommitted(BEFORE + LOST);
    awaitSettled(consumer);

    promoteCopy();
    produce(BEFORE + LOST, BEFORE + LOST + 3);

    awaitLedger(BEFORE + LOST + 3);
    awaitCommitted(BEFORE + LOST + 3);
    assertThat(DatabaseRows.strings(direct, "select distinct timeline::text from idembox.progress"))
        .containsExactly("2");
  }

  private void produce(int from, int to) throws Exception {
    IntStream.range(from, to).forEach(i -> orders.send(topic, i % 3, "m" + i, "o" + i));
    orders.flush();
  }

  private void runUntilCommitted(long records) {
    try (InboxConsumer consumer = started(Orders::book)) {
      awaitCommitted(records);
      awaitSettled(consumer);
    }
  }

  private void awaitLedger(long rows) {
    await().atMost(SOON.multipliedBy(2)).ignoreExceptions().until(() -> ledger() == rows);
  }

  private long ledger() {
    return DatabaseRows.count(direct, "select count(*) from ledger");
  }

  private void copyStopped() throws Exception {
    postgres.stop();
    DataDirectories.copy(postgres.dataDirectory(), copies.resolve("earlier"));
    postgres.restart();
  }

  private void restoreCopy() throws Exception {
    postgres.stop();
    DataDirectories.empty(postgres.dataDirectory());
    DataDirectories.copy(copies.resolve("earlier"), postgres.dataDirectory());
    postgres.restart();
  }

  private void promoteCopy() throws Exception {
    postgres.stop();
    DataDirectories.empty(postgres.dataDirectory());
    DataDirectories.copy(copies.resolve("earlier"), postgres.dataDirectory());
    Files.createFile(postgres.dataDirectory().resolve("recovery.signal"));
    Files.writeString(
        postgres.dataDirectory().resolve("postgresql.auto.conf"),
        "restore_command = 'false'\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    postgres.restart();
  }
}
