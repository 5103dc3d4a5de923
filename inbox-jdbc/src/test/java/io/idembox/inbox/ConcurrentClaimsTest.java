package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several members claim at once: the open transaction is the lock. */
@WithServers(WithServers.Server.POSTGRES)
final class ConcurrentClaimsTest {
  private static TestScope scope;
  private InboxFixture fixture;
  private ExecutorService members;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    members = Executors.newCachedThreadPool();
  }

  @AfterEach
  void close() {
    members.shutdownNow();
    fixture.close();
  }

  @Test
  void theSecondMemberWaitsForTheFirstAndThenFindsItDone() throws Exception {
    ConsumerInbox first = fixture.open();
    ConsumerInbox second = fixture.open();
    UUID id = UUID.randomUUID();
    CountDownLatch claimed = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Future<InboxRun> slow = members.submit(() -> runSlowly(first, id, claimed, finish));
    claimed.await();

    Future<InboxRun> waiting = members.submit(() -> handle(second, id));
    awaitSomebodyWaiting();
    finish.countDown();

    assertThat(slow.get().fresh().cardinality()).isEqualTo(1);
    assertThat(waiting.get().fresh().isEmpty()).isTrue();
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  @Test
  void theSecondMemberTakesOverWhenTheFirstRollsBack() throws Exception {
    ConsumerInbox first = fixture.open();
    ConsumerInbox second = fixture.open();
    UUID id = UUID.randomUUID();
    CountDownLatch claimed = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Future<InboxRun> failing =
        members.submit(
            () ->
                first.run(
                    InboxFixture.claims(first, id),
                    batch -> {
                      claimed.countDown();
                      finish.await();
                      throw new IllegalStateException("at the end");
                    }));
    claimed.await();

    Future<InboxRun> waiting = members.submit(() -> handle(second, id));
    awaitSomebodyWaiting();
    finish.countDown();

    assertThatThrownBy(failing::get).hasCauseInstanceOf(IllegalStateException.class);
    assertThat(waiting.get().fresh().cardinality()).isEqualTo(1);
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  @Test
  void amongDuplicatesAMessageUnderWayElsewhereIsStillWaitedFor() throws Exception {
    ConsumerInbox first = fixture.open();
    ConsumerInbox second = fixture.open();
    UUID done = UUID.randomUUID();
    UUID id = UUID.randomUUID();
    handle(second, done);
    handle(second, done);
    CountDownLatch claimed = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Future<InboxRun> slow = members.submit(() -> runSlowly(first, id, claimed, finish));
    claimed.await();

    Future<InboxRun> waiting = members.submit(() -> handle(second, done, id));
    awaitSomebodyWaiting();
    finish.countDown();

    slow.get();
    assertThat(waiting.get().fresh().isEmpty()).isTrue();
    assertThat(fixture.count("ledger")).isEqualTo(2);
  }

  @Test
  void theWaitIsBoundedAndToldApartFromFailure() throws Exception {
    ConsumerInbox first = fixture.open();
    ConsumerInbox second =
        JdbcInbox.builder(fixture.pool)
            .lockTimeout(Duration.ofMillis(100))
            .build()
            .open(fixture.consumer, io.idembox.effect.EffectCatalog.of(), null);
    UUID id = UUID.randomUUID();
    CountDownLatch claimed = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Future<InboxRun> slow = members.submit(() -> runSlowly(first, id, claimed, finish));
    claimed.await();

    assertThatThrownBy(() -> handle(second, id))
        .isInstanceOfSatisfying(
            InboxStatementException.class,
            e -> {
              assertThat(e.phase()).isEqualTo(InboxStatementException.Phase.CLAIM);
              assertThat(e.sqlState()).isEqualTo("55P03");
            });
    finish.countDown();
    slow.get();

    assertThat(handle(second, id).fresh().isEmpty()).isTrue();
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  @Test
  void overlappingShuffledBatchesNeverDeadlockAndHandleEachIdOnce() throws Exception {
    int rounds = 1_000;
    int size = 20;
    List<ConsumerInbox> both = List.of(fixture.open(), fixture.open());
    CyclicBarrier together = new CyclicBarrier(2);
    UUID[][] ids = new UUID[rounds][];
    for (int r = 0; r < rounds; r++) {
      ids[r] = InboxFixture.ids(size);
    }

    List<Future<Integer>> handled = new ArrayList<>();
    for (int m = 0; m < 2; m++) {
      ConsumerInbox inbox = both.get(m);
      Random random = new Random(m);
      handled.add(
          members.submit(
              () -> {
                int mine = 0;
                for (UUID[] round : ids) {
                  List<UUID> shuffled = new ArrayList<>(Arrays.asList(round));
                  Collections.shuffle(shuffled, random);
                  together.await();
                  mine += handle(inbox, shuffled.toArray(new UUID[0])).fresh().cardinality();
                }
                return mine;
              }));
    }
    int sum = 0;
    for (Future<Integer> member : handled) {
      sum += member.get();
    }

    assertThat(sum).isEqualTo(rounds * size);
    assertThat(fixture.count("ledger")).isEqualTo((long) rounds * size);
    assertThat(
            fixture.text(
                "select deadlocks::text from pg_stat_database where datname = current_database()"))
        .isEqualTo("0");
  }

  private static InboxRun runSlowly(
      ConsumerInbox inbox, UUID id, CountDownLatch claimed, CountDownLatch finish)
      throws Exception {
    return inbox.run(
        InboxFixture.claims(inbox, id),
        batch -> {
          batch.begin(0).enqueue("insert into ledger(order_id) values (?)", "slow");
          claimed.countDown();
          finish.await();
        });
  }

  private static InboxRun handle(ConsumerInbox inbox, UUID... ids) throws Exception {
    return inbox.run(
        InboxFixture.claims(inbox, ids),
        batch -> {
          for (int index : batch.fresh()) {
            batch.begin(index).enqueue("insert into ledger(order_id) values (?)", "o" + index);
          }
        });
  }

  private void awaitSomebodyWaiting() {
    Awaitility.await()
        .until(
            () ->
                fixture.count(
                        "pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")
                    > 0);
  }
}
