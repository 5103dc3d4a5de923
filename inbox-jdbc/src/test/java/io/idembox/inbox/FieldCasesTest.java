package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.FaultyDataSource.When;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.inbox.MessageIdentity.Known;
import io.idembox.inbox.MessageIdentity.Unusable;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Situations that people really met, at this module's level; the runtime meets them with real
 * processes.
 */
@WithServers(WithServers.Server.POSTGRES)
final class FieldCasesTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final String WRITE = "insert into ledger(order_id) values (?)";

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    inbox = fixture.open(MAIL);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /**
   * C01: crashes at twenty random moments, each followed by a redelivery of all that was not
   * committed.
   */
  @Test
  void c01AStormOfCrashesHandlesEachRecordOnceAndOwesEachEffectOnce() throws Exception {
    Random random = new Random(1);
    UUID[] ids = InboxFixture.ids(200);
    FaultyDataSource faulty = new FaultyDataSource(fixture.pool);
    String[] moments = {
      "insert into idembox.inbox", "insert into ledger", "insert into idembox.effect", ";\ncommit"
    };
    int committed = 0;
    int crashes = 0;
    int mails = 0;
    while (committed < ids.length) {
      // A process of its own each time: nothing but the database remembers.
      ConsumerInbox process =
          JdbcInbox.builder(faulty).build().open(fixture.consumer, EffectCatalog.of(MAIL), null);
      if (crashes < 20) {
        faulty.cutOnce(
            random.nextBoolean() ? When.BEFORE : When.AFTER,
            moments[random.nextInt(moments.length)]);
      }
      try {
        while (committed < ids.length) {
          int from = Math.max(0, committed - random.nextInt(20));
          int to = Math.min(ids.length, from + 1 + random.nextInt(20));
          mails += deliver(process, ids, from, to);
          committed = Math.max(committed, to);
        }
      } catch (InboxException e) {
        crashes++;
      }
    }

    assertThat(crashes).isEqualTo(20);
    assertThat(fixture.count("ledger")).isEqualTo(200);
    assertThat(fixture.text("select count(distinct order_id)::text from ledger")).isEqualTo("200");
    assertThat(fixture.count("idembox.inbox")).isEqualTo(200);
    assertThat(fixture.count("idembox.effect")).isEqualTo(200);
    // Those whose process died after the commit are still owed, and nothing is owed twice.
    assertThat(mails + inbox.journal().unfinished()).isEqualTo(200);
  }

  private int deliver(ConsumerInbox process, UUID[] ids, int from, int to) throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(process, ids).subList(from, to);
    InboxRun run =
        process.run(
            claims,
            batch -> {
              for (int i : batch.fresh()) {
                InboxTransaction tx = batch.begin(i);
                String order = "o" + (from + i);
                tx.enqueue(WRITE, order);
                tx.effects().afterCommit(MAIL.name(), EffectKey.of("mail").id(order), "x");
              }
            });
    List<Settlement> done = new ArrayList<>();
    for (JournalEntry entry : run.intents()) {
      done.add(Settlement.done(entry, null));
    }
    return process.journal().settle(done);
  }

  /** C02: a second member starts the record while the first is still inside its transaction. */
  @Test
  void c02ASecondMemberWaitsForTheFirstAndSkipsTheRecord() throws Exception {
    UUID id = UUID.randomUUID();
    ConsumerInbox second = fixture.open(MAIL);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    ExecutorService members = Executors.newFixedThreadPool(2);
    try {
      Future<InboxRun> slow =
          members.submit(
              () ->
                  inbox.run(
                      InboxFixture.claims(inbox, id),
                      b -> {
                        b.begin(0).enqueue(WRITE, "o1");
                        inside.countDown();
                        finish.await();
                      }));
      inside.await();
      Future<InboxRun> other =
          members.submit(
              () ->
                  second.run(
                      InboxFixture.claims(second, id),
                      b -> {
                        for (int i : b.fresh()) {
                          b.begin(i).enqueue(WRITE, "o1 again");
                        }
                      }));
      Awaitility.await()
          .until(
              () ->
                  fixture.count(
                          "pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")
                      > 0);
      finish.countDown();
      assertThat(slow.get().fresh().cardinality()).isEqualTo(1);
      assertThat(other.get().fresh().isEmpty()).isTrue();
    } finally {
      members.shutdown();
    }
    assertThat(fixture.text("select string_agg(order_id, ',') from ledger")).isEqualTo("o1");
  }

  /**
   * C17, as the design says: rows for 1, 2 (by coordinates) and 7; dead letters for the unusable
   * ids.
   */
  @Test
  void c17UnusableIdsAreDeadLettersAndNoneIsTakenForAnother() throws Exception {
    TestRecord plain = TestRecord.at(0, 0);
    List<TestRecord> records =
        List.of(
            at(1).header("message-id", "good-1"),
            at(2),
            at(3).header("message-id", ""),
            at(4).header("message-id", ""),
            at(5).header("message-id", "   "),
            at(6).header("message-id", (String) null),
            at(7).header("message-id", "good-7"));
    assertThat(plain.offset()).isZero();

    for (TestRecord record : records) {
      handleOrGiveUp(record);
    }

    assertThat(fixture.text("select string_agg(order_id, ',' order by order_id) from ledger"))
        .isEqualTo("o1,o2,o7");
    assertThat(fixture.count("idembox.dead_letter")).isEqualTo(4);
    assertThat(
            fixture.text(
                "select string_agg(reason, ';' order by \"offset\") from idembox.dead_letter"))
        .isEqualTo(
            "header message-id is empty;header message-id is empty;header message-id is blank;"
                + "header message-id is null");
  }

  /**
   * C18, as the design says: conflicting values refused, equal ones are one, names are
   * case-sensitive.
   */
  @Test
  void c18RepeatedHeadersFollowOneRuleOnEveryReading() throws Exception {
    List<TestRecord> records =
        List.of(
            at(0).header("message-id", "x1").header("message-id", "x2"),
            at(1).header("message-id", "x2"),
            at(2).header("message-id", "x3").header("message-id", "x3"),
            at(3).header("Message-Id", "x9"));

    for (int reading = 0; reading < 2; reading++) {
      for (TestRecord record : records) {
        handleOrGiveUp(record);
      }
    }

    assertThat(fixture.text("select string_agg(order_id, ',' order by order_id) from ledger"))
        .isEqualTo("o1,o2,o3");
    assertThat(fixture.text("select reason from idembox.dead_letter"))
        .contains("'x1'")
        .contains("'x2'");
  }

  /** C21: tombstones and null keys are records like others. */
  @Test
  void c21TombstonesAndNullKeysHaveIdentitiesOfTheirOwn() throws Exception {
    handleOrGiveUp(at(0).header("message-id", "a").value("v"));
    handleOrGiveUp(at(1).header("message-id", "b").value(null));
    handleOrGiveUp(at(2).value(null));
    handleOrGiveUp(at(3).value("v"));

    assertThat(fixture.count("ledger")).isEqualTo(4);
    assertThat(fixture.count("idembox.dead_letter")).isZero();
  }

  /** C22: a record that cannot be decoded is kept byte for byte, and the others are handled. */
  @Test
  void c22AnUndecodableRecordIsKeptByteForByte() throws Exception {
    byte[] broken = {(byte) 0xCA, (byte) 0xFE, 0, (byte) 0x80};
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(7));

    inbox.runSplitting(
        claims,
        batch -> {
          for (int i : batch.fresh()) {
            if (i == 3) {
              throw new IllegalArgumentException("not JSON");
            }
            batch.begin(i).enqueue(WRITE, "o" + i);
          }
        },
        (index, failure) ->
            inbox
                .deadLetters()
                .record(
                    new DeadLetterDraft(
                        claims.get(index),
                        new DeadLetterContent(broken, broken, List.of(), null),
                        DeadLetterError.of("undecodable", failure),
                        1,
                        null)));

    assertThat(fixture.count("ledger")).isEqualTo(6);
    long letter = inbox.deadLetters().openAmong(List.of(claims.get(3).messageId())).get(0).id();
    DeadLetter kept = inbox.deadLetters().show(letter).orElseThrow();
    assertThat(kept.content().key()).isEqualTo(broken);
    assertThat(kept.content().value()).isEqualTo(broken);
    assertThat(kept.claim()).isEqualTo(claims.get(3));
  }

  /**
   * C23: the same event at other offsets and partitions, also while the first copy is being
   * handled.
   */
  @Test
  void c23TheSameEventPublishedAgainIsHandledOnceWhereverItComes() throws Exception {
    UUID id = known(at(0).header("message-id", "e1")).id();
    int topic = inbox.topicId(TestRecord.ORDERS, "orders");
    inbox.run(
        List.of(new InboxClaim(id, topic, 0, 0)),
        b -> {
          b.begin(0).enqueue(WRITE, "e1");
          // Not committed yet, so nobody takes a copy for handled; its claim waits (C02).
          assertThat(fixture.open(MAIL).rowsOf(List.of(id))).isEmpty();
        });

    for (InboxClaim copy :
        List.of(new InboxClaim(id, topic, 0, 7), new InboxClaim(id, topic, 1, 3))) {
      inbox.run(List.of(copy), b -> assertThat(b.fresh()).isEmpty());
    }

    assertThat(fixture.count("ledger")).isEqualTo(1);
    assertThat(inbox.rowsOf(List.of(id)).get(id).claim())
        .isEqualTo(new InboxClaim(id, topic, 0, 0));
  }

  /** C37: two consumers on one topic, then a class renamed, then the consumer renamed. */
  @Test
  void c37ConsumersDoNotHideRecordsFromEachOtherAndARenamedOneSendsNoMailAgain() throws Exception {
    UUID[] ids = InboxFixture.ids(10);
    RegisteredConsumer notify = register("notify", "notify");
    ConsumerInbox other = fixture.inbox.open(notify, EffectCatalog.of(MAIL), null);
    assertThat(deliver(inbox, ids, 0, 10)).isEqualTo(10);
    assertThat(other.run(InboxFixture.claims(other, ids), b -> {}).fresh().cardinality())
        .isEqualTo(10);

    // The class has another name; the configured one is the same.
    ConsumerInbox sameName =
        fixture.inbox.open(register("billing", "billing"), EffectCatalog.of(MAIL), null);
    assertThat(deliver(sameName, ids, 0, 10)).isZero();
    assertThat(fixture.count("ledger")).isEqualTo(10);

    // The configured name is another one: handled again, but the mails name the business fact.
    fixture.execute("update idembox.consumer set seen_at = now() - interval '2 minutes'");
    ConsumerInbox renamed =
        fixture.inbox.open(register("accounts", "billing"), EffectCatalog.of(MAIL), null);
    assertThat(deliver(renamed, ids, 0, 10)).isZero();
    assertThat(fixture.count("ledger")).isEqualTo(20);
    assertThat(fixture.count("idembox.effect")).isEqualTo(10);
  }

  /**
   * C56 (c): a record that was handled comes again under other coordinates when its row is gone. It
   * is handled again, which the guide says; the mail is not sent again.
   */
  @Test
  void c56ACopyOfARecordWhoseRowWasPrunedIsHandledAgainAndOwesNoSecondEffect() throws Exception {
    UUID[] ids = InboxFixture.ids(1);
    assertThat(deliver(inbox, ids, 0, 1)).isEqualTo(1);
    fixture.execute("delete from idembox.inbox");

    assertThat(deliver(inbox, ids, 0, 1)).isZero();

    assertThat(fixture.count("ledger")).isEqualTo(2);
    assertThat(fixture.count("idembox.effect")).isEqualTo(1);
    assertThat(inbox.journal().unfinished()).isZero();
  }

  private RegisteredConsumer register(String name, String group) {
    return fixture.inbox.register(
        new ConsumerRegistration(name, group, null, InboxFixture.RESOLVER));
  }

  private static TestRecord at(long offset) {
    return TestRecord.at(0, offset);
  }

  private static Known known(TestRecord record) {
    return (Known) MessageIdResolver.defaults().resolve(record);
  }

  /** What a consumer loop does with one record. */
  private void handleOrGiveUp(TestRecord record) throws Exception {
    int topic = inbox.topicId(record.topicId(), record.topic());
    MessageIdentity identity = MessageIdResolver.defaults().resolve(record);
    InboxClaim claim = new InboxClaim(identity.id(), topic, record.partition(), record.offset());
    if (identity instanceof Unusable unusable) {
      inbox
          .deadLetters()
          .record(
              new DeadLetterDraft(
                  claim,
                  new DeadLetterContent(record.key(), record.value(), List.of(), null),
                  DeadLetterError.of(unusable.reason(), "unusable id", unusable.reason()),
                  0,
                  null));
      return;
    }
    inbox.run(
        List.of(claim),
        b -> {
          for (int i : b.fresh()) {
            b.begin(i).enqueue(WRITE, "o" + record.offset());
          }
        });
  }
}
