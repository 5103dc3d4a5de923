package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.effect.RebuildableEffect;
import io.idembox.inbox.InboxTransaction;
import io.idembox.testkit.EmbeddedRedis;
import io.idembox.testkit.TestScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rows of a consumer are built anew under another name, and nothing happens a second time. */
class RebuildTest extends ConsumerTestBase {
  private final List<String> batches = new CopyOnWriteArrayList<>();
  private EmbeddedRedis redis;
  private String anew;

  RebuildTest(TestScope scope) {
    super(scope);
  }

  @BeforeEach
  void startRedis() {
    redis = EmbeddedRedis.builder().inMemory().start();
    anew = scope.group("projection");
  }

  @AfterEach
  void stopRedis() {
    consumers.forEach(InboxConsumer::close);
    redis.close();
  }

  @Test
  void recordsOlderThanEveryRetentionAreHandledAgainAndNobodyGetsASecondMail() throws Exception {
    for (int i = 0; i < 30; i++) {
      orders.send(topic, i % 3, "m" + i, "o" + i);
    }
    orders.send(topic, 0, "dead", "dead-1");
    orders.flush();
    InboxConsumer old =
        start(
            with(new Sink(database))
                .maxAttempts(1)
                .subscribe(
                    json(
                        topic,
                        (message, tx) -> {
                          if (message.value().id().startsWith("dead")) {
                            throw new PermanentFailureException("not yet");
                          }
                          Orders.book(message, tx);
                        })));
    awaitCommitted(31);
    awaitSettled(old);
    old.close();
    forgetEverything();
    // The rows of a partition are pruned: its done ranges alone know them.
    update("delete from idembox.inbox where partition = 1");
    update("delete from ledger");

    ReplayReport report = rebuild(with(new Sink(database)), ReplayRangeOf.all(topic, 11, 10, 10));

    assertThat(rows("select count(distinct order_id) from ledger")).isEqualTo(31);
    assertThat(rows("select count(*) from ledger")).isEqualTo(31);
    assertThat(report.finished()).isTrue();
    assertThat(report.recordsInherited()).isEqualTo(30);
    assertThat(report.effectsInherited()).isEqualTo(30);
    assertThat(report.effectsPerformed()).as("the one that was dead").isEqualTo(1);
    assertThat(rows("select count(*) from sent")).isEqualTo(31);
    assertThat(rows("select count(*) from idembox.effect where inherited and state = 2"))
        .isEqualTo(30);

    // Again, it goes on where it stopped; and a life of its own under that name keeps to it.
    forgetEverything();
    assertThat(rebuild(with(new Sink(database)), ReplayRangeOf.all(topic, 11, 10, 10)).read())
        .isEqualTo(31);
    update("delete from idembox.inbox where partition = 2");
    orders.send(topic, 2, "m-new", "o-new").flush();
    InboxConsumer live =
        start(
            with(new Sink(database)).name(anew).groupId(anew).subscribe(json(topic, Orders::book)));
    await().atMost(SOON).until(() -> rows("select count(*) from ledger") == 42);
    awaitSettled(live);
    await().atMost(SOON).until(() -> rows("select count(*) from sent") == 32);
    assertThat(rows("select count(distinct order_id) from sent")).isEqualTo(32);
  }

  @Test
  void onceGivesAKeptReceiptOrWhatTheEffectSaysOrFailsNamingTheKey() throws Exception {
    orders.send(topic, 0, "m0", "o0").send(topic, 1, "m1", "o1").flush();
    InboxConsumer old = start(with(new Sink(database)).subscribe(json(topic, this::callAndBook)));
    awaitCommitted(2);
    old.close();
    assertThat(rows("select count(*) from sent")).isEqualTo(2);
    update("delete from ledger");

    rebuild(with(new Sink(database)), this::callAndBook, ReplayRangeOf.all(topic, 1, 0, 0));
    assertThat(strings("select order_id from ledger")).containsExactly("sent o0");

    redis.command("FLUSHALL");
    ReplayReport failed =
        rebuild(with(new Sink(database)), this::callAndBook, ReplayRangeOf.all(topic, 1, 1, 0));
    assertThat(failed.partitions())
        .extracting(ReplayReport.Partition::dead)
        .containsExactly(0L, 1L);
    assertThat(strings("select cause_message from idembox.dead_letter").get(0))
        .contains("mail.receipt")
        .contains("o1")
        .contains("RebuildableEffect");
    assertThat(rows("select attempts from idembox.dead_letter")).isEqualTo(1);

    anew = scope.group("projection-2");
    rebuild(
        with(new Rebuildable(new Sink(database))),
        this::callAndBook,
        ReplayRangeOf.all(topic, 1, 1, 0));
    assertThat(strings("select order_id from ledger"))
        .as("of two partitions, that are worked beside each other")
        .containsExactlyInAnyOrder("sent o0", "stand-in for o0", "stand-in for o1");
    assertThat(rows("select count(*) from sent")).isEqualTo(2);
  }

  @Test
  void aListForABatchHandlerHoldsRecordsOfOneKindOnly() throws Exception {
    for (int i = 0; i < 6; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();
    InboxConsumer old =
        start(
            with(new Sink(database))
                .maxAttempts(1)
                .subscribe(
                    json(
                        topic,
                        (message, tx) -> {
                          if (message.value().id().equals("o2")) {
                            throw new PermanentFailureException("not yet");
                          }
                          Orders.book(message, tx);
                        })));
    awaitCommitted(6);
    awaitSettled(old);
    old.close();
    forgetEverything();

    InboxConsumerBuilder settings =
        with(new Sink(database))
            .subscribe(
                Subscription.topics(topic)
                    .jsonBatches(
                        Orders.Order.class,
                        (messages, tx) -> {
                          List<String> ids = new ArrayList<>();
                          for (InboxMessage<Orders.Order> message : messages) {
                            ids.add(message.value().id());
                            Orders.book(message, tx);
                          }
                          batches.add(String.join(",", ids));
                        }));
    ReplayReport report = run(settings, ReplayRangeOf.all(topic, 6, 0, 0), false);

    assertThat(report.recordsInherited()).isEqualTo(5);
    assertThat(batches).allMatch(ids -> ids.equals("o2") || !ids.contains("o2"));
    assertThat(rows("select count(*) from sent where order_id = 'o2'")).isEqualTo(1);
    assertThat(rows("select count(*) from sent")).isEqualTo(6);
  }

  @Test
  void aDryRunTellsWhatAnotherHasDoneAndChangesNothing() throws Exception {
    orders.send(topic, 0, "m0", "o0").send(topic, 0, "m1", "o1").flush();
    InboxConsumer old = start(with(new Sink(database)).subscribe(json(topic, Orders::book)));
    awaitCommitted(2);
    awaitSettled(old);
    old.close();
    orders.send(topic, 0, "m2", "o2").flush();

    ReplayReport report =
        run(
            with(new Sink(database)).subscribe(json(topic, Orders::book)),
            ReplayRangeOf.all(topic, 3, 0, 0),
            true);

    assertThat(report.partitions().get(0).handled()).isEqualTo(3);
    assertThat(report.recordsInherited()).isEqualTo(2);
    assertThat(strings("select name from idembox.consumer")).containsExactly(group);
    assertThat(rows("select count(*) from ledger")).isEqualTo(2);
  }

  @Test
  void namesThatDoNotFitAreRefusedBeforeAnythingIsRead() throws Exception {
    assertThatThrownBy(() -> rebuild(with(new Sink(database)), ReplayRangeOf.all(topic, 0, 0, 0)))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("no consumer " + group);

    start(with(new Sink(database)).subscribe(json(topic, Orders::book))).close();
    start(with(new Sink(database)).name(anew).groupId(anew).subscribe(json(topic, Orders::book)))
        .close();
    assertThatThrownBy(() -> rebuild(with(new Sink(database)), ReplayRangeOf.all(topic, 0, 0, 0)))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining(anew)
        .hasMessageContaining("no rebuild of " + group);
  }

  private void callAndBook(InboxMessage<Orders.Order> message, InboxTransaction tx) {
    String id = message.value().id();
    String receipt =
        tx.effects().once(Sink.MAIL, EffectKey.of("mail.receipt").id(id), new Sink.Mail(id));
    tx.enqueue("insert into ledger(order_id, message_id) values (?, ?)", receipt, message.id());
  }

  /** What the guard knew and what the journal knew is gone, as after all retentions. */
  private void forgetEverything() throws Exception {
    redis.command("FLUSHALL");
    update("delete from idembox.effect");
  }

  private InboxConsumerBuilder with(Effect<?, ?> effect) {
    return settings(effect).redis(redis.uri());
  }

  private ReplayReport rebuild(InboxConsumerBuilder settings, List<ReplayRange> ranges)
      throws InterruptedException {
    return rebuild(settings, Orders::book, ranges);
  }

  private ReplayReport rebuild(
      InboxConsumerBuilder settings, InboxHandler<Orders.Order> handler, List<ReplayRange> ranges)
      throws InterruptedException {
    return run(settings.subscribe(json(topic, handler)), ranges, false);
  }

  private ReplayReport run(InboxConsumerBuilder settings, List<ReplayRange> ranges, boolean dryRun)
      throws InterruptedException {
    return settings
        .name(anew)
        .groupId(anew)
        .build()
        .rebuild(group, new ReplayPlan(ranges, dryRun, 0))
        .run(progress -> {});
  }

  private void update(String sql) throws Exception {
    try (var connection = database.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Ranges of partitions 0, 1 and 2 from their beginning; empty ones are left out. */
  private static final class ReplayRangeOf {
    static List<ReplayRange> all(String topic, long... ends) {
      List<ReplayRange> ranges = new ArrayList<>();
      for (int partition = 0; partition < ends.length; partition++) {
        if (ends[partition] > 0) {
          ranges.add(new ReplayRange(new TopicPartition(topic, partition), 0, ends[partition]));
        }
      }
      return ranges;
    }
  }

  private record Rebuildable(Sink sink) implements RebuildableEffect<Sink.Mail, String> {
    @Override
    public EffectName<Sink.Mail, String> name() {
      return sink.name();
    }

    @Override
    public @Nullable String perform(Sink.Mail mail, EffectAttempt attempt) throws Exception {
      return sink.perform(mail, attempt);
    }

    @Override
    public String receiptOnRebuild(EffectKey key, Sink.Mail mail) {
      return "stand-in for " + mail.orderId();
    }
  }
}
