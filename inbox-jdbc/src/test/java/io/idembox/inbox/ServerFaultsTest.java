package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.inbox.GrowthResult.Stale;
import io.idembox.inbox.GrowthResult.Stale.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** C31: the database is killed, restarted, read-only, set back, or replaced by a standby. */
final class ServerFaultsTest {
  private OwnServer server;
  private ConsumerInbox inbox;

  @BeforeEach
  void start() {
    server = new OwnServer();
    inbox = server.open();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void c31AServerKilledInTheMiddleOfABatchLosesNothing() throws Exception {
    UUID[] before = InboxFixture.ids(50);
    OwnServer.runThrough(inbox, before);
    UUID[] ids = InboxFixture.ids(50);

    assertThatThrownBy(
            () ->
                inbox.run(
                    InboxFixture.claims(inbox, ids),
                    batch -> {
                      OwnServer.writeLedger(batch);
                      server.postgres.kill();
                    }))
        .isInstanceOf(InboxException.class);
    server.postgres.restart();
    OwnServer.runThrough(inbox, ids);
    OwnServer.runThrough(inbox, before);

    assertThat(server.count("ledger")).isEqualTo(100);
    assertThat(server.count("idembox.inbox")).isEqualTo(100);
  }

  @Test
  void c31AServerKilledRightAfterTheCommitHasCommitted() {
    FaultyDataSource faulty = new FaultyDataSource(server.pool);
    ConsumerInbox fragile =
        JdbcInbox.builder(faulty)
            .build()
            .open(server.consumer, io.idembox.effect.EffectCatalog.of(), null);
    UUID[] ids = InboxFixture.ids(50);
    faulty.actOnce(
        FaultyDataSource.When.AFTER,
        ";\ncommit",
        connection -> {
          server.postgres.kill();
          server.postgres.restart();
        });

    int failures = OwnServer.runThrough(fragile, ids);

    assertThat(faulty.hasCut()).isTrue();
    assertThat(failures).isLessThanOrEqualTo(1);
    assertThat(server.count("ledger")).isEqualTo(50);
  }

  @Test
  void c31AReadOnlyServerFailsTheClaimWithItsStateAndRecovers() {
    UUID[] ids = InboxFixture.ids(10);
    server.execute(
        "postgres",
        "alter database " + server.database + " set default_transaction_read_only = on");
    server.pool.getHikariPoolMXBean().softEvictConnections();

    assertThatThrownBy(() -> inbox.run(InboxFixture.claims(inbox, ids), OwnServer::writeLedger))
        .isInstanceOf(InboxException.class)
        .extracting(e -> ((InboxStatementException) e).sqlState())
        .isEqualTo("25006");

    server.execute(
        "postgres", "alter database " + server.database + " reset default_transaction_read_only");
    server.pool.getHikariPoolMXBean().softEvictConnections();
    OwnServer.runThrough(inbox, ids);
    assertThat(server.count("ledger")).isEqualTo(10);
  }

  @Test
  void aDatabaseThatWentBackToAnEarlierCopyShowsTheGap(@TempDir Path copies) throws Exception {
    InboxPartition p0 = new InboxPartition(inbox.topicId(InboxFixture.TOPIC, "orders"), 0);
    UUID[] ids = InboxFixture.ids(100);
    handled(ids, 0, 40, p0);
    server.postgres.stop();
    copy(server.postgres.dataDirectory(), copies.resolve("earlier"));
    server.postgres.restart();
    PartitionProgress member = handled(ids, 40, 80, p0);
    assertThat(member.done().covers(0, 80)).isTrue();

    server.postgres.stop();
    delete(server.postgres.dataDirectory());
    copy(copies.resolve("earlier"), server.postgres.dataDirectory());
    server.postgres.restart();

    // The member goes on where it was, and the answer shows what the database has forgotten.
    PartitionProgress after = handled(ids, 80, 100, p0);
    assertThat(after.done().toString()).isEqualTo("{[0,40),[80,100)}");
    assertThat(after.done().firstGapFrom(0)).isEqualTo(40);

    // It reads again from the gap: those rows are gone, the others are recognised.
    List<InboxClaim> all = InboxFixture.claims(inbox, ids);
    InboxRun again = inbox.run(all.subList(40, 100), OwnServer::writeLedger);
    assertThat(again.fresh().cardinality()).isEqualTo(40);
    assertThat(server.count("idembox.inbox")).isEqualTo(100);
    assertThat(server.count("ledger")).isEqualTo(100);
  }

  @Test
  void workOfAServerThatWasReplacedByAnotherTimelineIsNotCountedAsDone() throws Exception {
    InboxPartition p0 = new InboxPartition(inbox.topicId(InboxFixture.TOPIC, "orders"), 0);
    PartitionProgress known = inbox.progress().read(List.of(p0)).get(0);
    InboxRun before = inbox.run(InboxFixture.claims(inbox, InboxFixture.ids(10)), b -> {});

    // As a standby that takes over: it ends its recovery on a timeline of its own.
    server.postgres.stop();
    Files.createFile(server.postgres.dataDirectory().resolve("recovery.signal"));
    Files.writeString(
        server.postgres.dataDirectory().resolve("postgresql.auto.conf"),
        "restore_command = 'false'\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    server.postgres.restart();
    Awaitility.await()
        .ignoreExceptions()
        .until(() -> "f".equals(server.text("select pg_is_in_recovery()")));
    server.pool.getHikariPoolMXBean().softEvictConnections();

    InboxRun after = inbox.run(InboxFixture.claims(inbox, InboxFixture.ids(10)), b -> {});
    assertThat(after.timeline()).isGreaterThan(before.timeline());
    GrowthResult late =
        inbox
            .progress()
            .grow(List.of(ProgressGrowth.done(known, OffsetRanges.of(0, 10), before.timeline())))
            .get(0);
    assertThat(late)
        .isInstanceOfSatisfying(
            Stale.class,
            stale -> {
              assertThat(stale.reason()).isEqualTo(Reason.TIMELINE);
              assertThat(stale.progress().serverTimeline()).isEqualTo(after.timeline());
            });
  }

  @Test
  void c31TerminatedSessionsAreNotUsedAgain() throws Exception {
    UUID[] ids = InboxFixture.ids(20);
    AtomicBoolean once = new AtomicBoolean();
    for (int round = 0; round < 5; round++) {
      once.set(false);
      UUID[] batch = java.util.Arrays.copyOfRange(ids, round * 4, round * 4 + 4);
      assertThatThrownBy(
              () ->
                  inbox.run(
                      InboxFixture.claims(inbox, batch),
                      b -> {
                        OwnServer.writeLedger(b);
                        if (once.compareAndSet(false, true)) {
                          server.execute(
                              "select pg_terminate_backend(pid) from pg_stat_activity"
                                  + " where datname = current_database() and pid <> pg_backend_pid()"
                                  + " and backend_type = 'client backend'");
                        }
                      }))
          .isInstanceOf(InboxException.class);
      OwnServer.runThrough(inbox, batch);
    }

    assertThat(server.count("ledger")).isEqualTo(20);
    assertThat(server.count("idembox.inbox")).isEqualTo(20);
  }

  private PartitionProgress handled(UUID[] ids, int from, int to, InboxPartition partition)
      throws Exception {
    PartitionProgress known = null;
    for (int attempt = 0; known == null; attempt++) {
      try {
        known = inbox.progress().read(List.of(partition)).get(0);
      } catch (InboxStatementException e) {
        // The pool still hands out connections of the server that was stopped.
        if (attempt > 20) {
          throw e;
        }
      }
    }
    List<InboxClaim> claims = InboxFixture.claims(inbox, ids).subList(from, to);
    InboxRun run = inbox.run(claims, OwnServer::writeLedger);
    return inbox
        .progress()
        .grow(List.of(ProgressGrowth.done(known, OffsetRanges.of(from, to), run.timeline())))
        .get(0)
        .progress();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(
          file -> {
            try {
              Path target = to.resolve(from.relativize(file).toString());
              if (Files.isDirectory(file)) {
                Files.createDirectories(target);
              } else {
                Files.copy(
                    file,
                    target,
                    StandardCopyOption.COPY_ATTRIBUTES,
                    StandardCopyOption.REPLACE_EXISTING);
              }
              Object owner = Files.getAttribute(file, "unix:uid");
              Files.setAttribute(target, "unix:uid", owner);
              Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(file));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(directory)) {
          Files.delete(file);
        }
      }
    }
  }
}
