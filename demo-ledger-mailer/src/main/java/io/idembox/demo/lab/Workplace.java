package io.idembox.demo.lab;

import io.idembox.demo.Ledger;
import io.idembox.demo.LedgerMailerSettings;
import io.idembox.demo.stage.DemoFailure;
import io.idembox.demo.stage.MailServer;
import io.idembox.demo.stage.StopSignal.StoppedException;
import io.idembox.demo.stage.Waiting;
import io.idembox.demo.stage.WorkerProcess;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedServers;
import io.idembox.testkit.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** A database and a mail server of their own, and the workers that use them. */
final class Workplace implements AutoCloseable {
  private static final String TWICE = "select count(*) - count(distinct order_id) from ledger";

  private final EmbeddedServers servers;
  private final MailServer mail;
  private final String database;
  private final Path folder;
  private final String name;
  private final Waiting waiting;

  private Workplace(
      EmbeddedServers servers, MailServer mail, Path folder, String name, Waiting waiting) {
    this.servers = servers;
    this.mail = mail;
    this.database = servers.postgres().createDatabase();
    this.folder = folder;
    this.name = name;
    this.waiting = waiting;
  }

  static Workplace open(EmbeddedServers servers, Path folder, String name, Waiting waiting)
      throws SQLException, IOException {
    Workplace workplace = new Workplace(servers, MailServer.start(), folder, name, waiting);
    try {
      IdemboxSchema.of(workplace.database()).migrate();
      Ledger.createTable(workplace.database());
      try (Writer writer = Files.newBufferedWriter(workplace.settingsFile())) {
        workplace.settings().toProperties().store(writer, null);
      }
    } catch (RuntimeException | SQLException | IOException failure) {
      workplace.close();
      throw failure;
    }
    return workplace;
  }

  MailServer mail() {
    return mail;
  }

  DataSource database() {
    return servers.postgres().dataSource(database);
  }

  /** The address of the database, without user and password. */
  String jdbcAddress() {
    return "jdbc:postgresql://%s:%d/%s"
        .formatted(servers.postgres().host(), servers.postgres().port(), database);
  }

  String databaseUser() {
    return servers.postgres().user();
  }

  String databasePassword() {
    return servers.postgres().password();
  }

  LedgerMailerSettings settings() {
    return new LedgerMailerSettings(
        servers.kafka().bootstrapServers(),
        servers.postgres().jdbcUrl(database),
        servers.redis().uri(),
        mail.settings(),
        batchLog());
  }

  /** A file of this workplace. */
  Path file(String suffix) {
    return folder.resolve(name + suffix);
  }

  /** What its workers wrote. */
  Path log() {
    return file(".log");
  }

  Path batchLog() {
    return file(".batches");
  }

  private Path settingsFile() {
    return file(".properties");
  }

  /** Starts a worker, whose first argument is the settings file, in a JVM that is there soon. */
  WorkerProcess start(Class<?> worker, String... args) {
    return WorkerProcess.start(worker.getSimpleName(), worker, log(), withSettings(args));
  }

  /** As the other, in a JVM that optimises, for what is measured. */
  WorkerProcess startAtFullSpeed(Class<?> worker, String... args) {
    return WorkerProcess.start(
        worker.getSimpleName(),
        JavaProcess.builder(worker)
            .jvmArgs("-Xmx512m", "-Dlogback.configurationFile=logback-consumer.xml")
            .args(withSettings(args)),
        log());
  }

  private String[] withSettings(String... args) {
    List<String> all = new ArrayList<>(List.of(settingsFile().toAbsolutePath().toString()));
    all.addAll(List.of(args));
    return all.toArray(String[]::new);
  }

  /** The rest of each line of the workers that begins with this word. */
  List<String> lines(String word) {
    try {
      return LabLines.of(log(), word);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Waits until the workers have written so many lines that begin with this word. */
  void awaitLines(String word, int count, WorkerProcess worker)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    waiting.until(
        () -> {
          int now = lines(word).size();
          if (now >= count) {
            return Optional.empty();
          }
          // Only now: a worker may say its last line and end.
          worker.requireRunning();
          return Optional.of("\"" + word + "\" was said " + now + " times of " + count);
        });
  }

  /** Waits until a worker has ended by itself and in order. */
  void awaitEnd(WorkerProcess worker, Waiting.Goal whileItRuns)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    waiting.until(
        () -> {
          Optional<String> missing = whileItRuns.missing();
          return worker.exitCode().isPresent()
              ? Optional.empty()
              : Optional.of(missing.orElse("a worker still runs"));
        });
    int code = worker.exitCode().orElseThrow();
    if (code != 0) {
      throw new DemoFailure("a worker failed, exit code " + code);
    }
  }

  /** Waits until a worker has ended by itself and in order. */
  void awaitEnd(WorkerProcess worker)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    awaitEnd(worker, Optional::empty);
  }

  /** The single number that a query answers. */
  long count(String sql) throws SQLException {
    try (Connection connection = database().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Ledger rows. */
  long rows() throws SQLException {
    return count("select count(*) from ledger");
  }

  /** Ledger rows beyond the first of an order. */
  long rowsTwice() throws SQLException {
    return count(TWICE);
  }

  /** Messages that the inbox has recorded as handled. */
  long recorded() throws SQLException {
    return count("select count(*) from idembox.inbox");
  }

  /** Effects that the journal still owes. */
  long unsettledEffects() throws SQLException {
    return count("select count(*) from idembox.effect where due_at is not null");
  }

  @Override
  public void close() {
    mail.close();
  }
}
