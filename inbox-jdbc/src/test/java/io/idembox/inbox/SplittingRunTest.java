package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.EffectStoreException;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message at fault is found by splitting, and takes no other with it. */
@WithServers(WithServers.Server.POSTGRES)
final class SplittingRunTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final String INSERT = "insert into ledger(order_id) values (?)";

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;
  private final Map<Integer, Exception> failures = new HashMap<>();

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    inbox = fixture.open(MAIL);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /** C25: record 5 of 10 puts null into a NOT NULL column. */
  @Test
  void c25OneFailingStatementTakesNoOtherRecordWithIt() throws Exception {
    UUID[] ids = InboxFixture.ids(10);
    List<InboxClaim> claims = InboxFixture.claims(inbox, ids);

    InboxRun run =
        inbox.runSplitting(
            claims,
            batch -> {
              for (int i : batch.fresh()) {
                batch.begin(i).handle().execute(INSERT, i == 5 ? null : "o" + i);
              }
            },
            (index, failure) -> giveUp(claims.get(index), index, failure));

    assertThat(run.fresh().stream().toArray()).containsExactly(0, 1, 2, 3, 4, 6, 7, 8, 9);
    assertThat(fixture.count("ledger")).isEqualTo(9);
    assertThat(failures).containsOnlyKeys(5);
    assertThat(fixture.text("select cause_message from idembox.dead_letter"))
        .contains("null value in column \"order_id\"");
    assertThat(fixture.count("idembox.inbox")).isEqualTo(10);
  }

  @Test
  void aFailingEnqueuedWriteIsTracedToItsMessage() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(10));

    inbox.runSplitting(
        claims,
        batch -> {
          for (int i : batch.fresh()) {
            batch.begin(i).enqueue(INSERT, i == 3 || i == 8 ? null : "o" + i);
          }
        },
        (index, failure) -> failures.put(index, failure));

    assertThat(failures).containsOnlyKeys(3, 8);
    assertThat(failures.get(3)).isInstanceOf(EnqueuedWriteException.class);
    assertThat(fixture.count("ledger")).isEqualTo(8);
  }

  @Test
  void orderIsKeptThroughSplitting() throws Exception {
    fixture.execute("create table seen (n serial, id int)");

    inbox.runSplitting(
        InboxFixture.claims(inbox, InboxFixture.ids(16)),
        batch -> {
          for (int i : batch.fresh()) {
            batch.begin(i).enqueue("insert into seen(id) values (?)", i);
            if (i % 5 == 2) {
              throw new IllegalStateException("at " + i);
            }
          }
        },
        (index, failure) -> failures.put(index, failure));

    assertThat(fixture.text("select string_agg(id::text, ',' order by n) from seen"))
        .isEqualTo("0,1,3,4,5,6,8,9,10,11,13,14,15");
  }

  /**
   * C20, one poll: a value with U+0000 that goes into text and jsonb; ids with a NUL, of 5,000
   * random hexadecimal digits and of 300 characters; a key with a NUL; good ones.
   */
  @Test
  void c20WhatPostgresqlCannotTakeIsItsOwnRecordsProblemAndIdsAreAnyBytes() throws Exception {
    fixture.execute("create table documents (body jsonb)");
    StringBuilder digits = new StringBuilder();
    new Random(1).ints(5_000, 0, 16).forEach(d -> digits.append(Character.forDigit(d, 16)));
    UUID[] ids = {
      id("as text"),
      id("as jsonb"),
      id("with a \u0000 inside"),
      id(digits.toString()),
      id("x".repeat(300)),
      id("key with a NUL"),
      id("good"),
    };
    List<InboxClaim> claims = InboxFixture.claims(inbox, ids);

    for (int reading = 0; reading < 2; reading++) {
      inbox.runSplitting(
          claims,
          batch -> {
            for (int i : batch.fresh()) {
              InboxTransaction tx = batch.begin(i);
              tx.enqueue(INSERT, i == 0 ? "with \u0000 inside" : "o" + i);
              if (i == 1) {
                tx.enqueue("insert into documents values (?::jsonb)", "{\"a\": \"\\u0000\"}");
              }
            }
          },
          (index, failure) -> giveUp(claims.get(index), index, failure));
    }

    assertThat(failures).containsOnlyKeys(0, 1);
    assertThat(fixture.text("select string_agg(order_id, ',' order by order_id) from ledger"))
        .isEqualTo("o2,o3,o4,o5,o6");
    assertThat(
            fixture.text(
                "select string_agg(left(cause_message, 14), ',' order by \"offset\") from idembox.dead_letter"))
        .isEqualTo("SQLSTATE 22021,SQLSTATE 22P05");
    assertThat(fixture.count("idembox.inbox")).isEqualTo(7);
  }

  /** C25 (b): it fails twice and then not; how often is known after a restart too. */
  @Test
  void c25ARecordThatFailsTwiceIsHandledByItsThirdAttempt() throws Exception {
    UUID[] ids = InboxFixture.ids(10);
    List<InboxClaim> claims = InboxFixture.claims(inbox, ids);
    List<Integer> attempts = new ArrayList<>();

    for (int run = 1; run <= 3; run++) {
      int number = run;
      ConsumerInbox restarted = fixture.open(MAIL);
      restarted.runSplitting(
          claims,
          batch -> {
            for (int i : batch.fresh()) {
              batch.begin(i).handle().execute(INSERT, i == 5 && number < 3 ? null : "o" + i);
            }
          },
          (index, failure) ->
              attempts.add(
                  restarted.attempts().failed(ids[index], Duration.ZERO, failure.toString())));
    }

    assertThat(attempts).containsExactly(1, 2);
    assertThat(fixture.count("ledger")).isEqualTo(10);
    assertThat(fixture.count("idembox.dead_letter")).isZero();
    assertThat(fixture.count("idembox.attempt")).isZero();
  }

  @Test
  void aMessageThatMustNotBeGivenUpStopsTheRunThere() {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(8));

    assertThatThrownBy(
            () ->
                inbox.runSplitting(
                    claims,
                    batch -> {
                      for (int i : batch.fresh()) {
                        InboxTransaction tx = batch.begin(i);
                        tx.effects().afterCommit(MAIL.name(), EffectKey.of("m").id("o" + i), "x");
                        if (i == 5) {
                          throw new IllegalStateException("later");
                        }
                      }
                    },
                    (index, failure) -> {
                      throw failure;
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("later");

    assertThat(fixture.count("idembox.inbox")).isEqualTo(5);
    // The effects of those that are committed are owed, and nobody holds their marks.
    assertThat(fixture.count("idembox.effect where state = 0 and owner is null")).isEqualTo(5);
  }

  @Test
  void anOutageOfTheDatabaseIsNotSplit() {
    FaultyDataSource faulty = new FaultyDataSource(fixture.pool);
    ConsumerInbox cut =
        JdbcInbox.builder(faulty)
            .build()
            .open(fixture.consumer, io.idembox.effect.EffectCatalog.of(), null);
    List<Integer> alone = new ArrayList<>();
    faulty.cutOnce(FaultyDataSource.When.BEFORE, "insert into idembox.inbox");

    assertThatThrownBy(
            () ->
                cut.runSplitting(
                    InboxFixture.claims(inbox, InboxFixture.ids(8)),
                    batch -> {},
                    (index, failure) -> alone.add(index)))
        .isInstanceOf(InboxStatementException.class);
    assertThat(alone).isEmpty();
  }

  /**
   * No message of the batch is at fault: given up for it, a whole topic would die with a server.
   */
  @ParameterizedTest
  @ValueSource(strings = {"08006", "25006", "28P01", "53300", "57P01", "55P03", "40001", "40P01"})
  void anOutageInAHandlersStatementGivesNobodyUp(String state) {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(8));

    assertThatThrownBy(
            () ->
                inbox.runSplitting(
                    claims,
                    batch -> {
                      for (int i : batch.fresh()) {
                        batch.begin(i).enqueue(INSERT, "o" + i);
                        if (i == 5) {
                          throw new IllegalStateException(new SQLException("made up", state));
                        }
                      }
                    },
                    (index, failure) -> giveUp(claims.get(index), index, failure)))
        .hasRootCauseMessage("made up");

    assertThat(failures).isEmpty();
    assertThat(fixture.count("idembox.inbox")).isZero();
  }

  @Test
  void anEffectThatCannotBeAskedAboutGivesNobodyUp() {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(1));

    assertThatThrownBy(
            () ->
                inbox.runSplitting(
                    claims,
                    batch -> {
                      throw new EffectStoreException(
                          EffectStoreException.Kind.UNREACHABLE, "no store", null);
                    },
                    (index, failure) -> giveUp(claims.get(index), index, failure)))
        .isInstanceOf(EffectStoreException.class);
    assertThat(failures).isEmpty();
  }

  /** Slow handlers: a batch may be too long for the session where its parts are not. */
  @Test
  void aBatchThatIdledTooLongIsTriedInParts() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(4));

    InboxRun run =
        inbox.runSplitting(
            claims,
            batch -> {
              if (batch.fresh().length > 1) {
                throw new SQLException("made up", "25P03");
              }
            },
            (index, failure) -> giveUp(claims.get(index), index, failure));

    assertThat(run.fresh().cardinality()).isEqualTo(4);
  }

  /** It fails in the inbox's own COMMIT, and is a message's fault all the same. */
  @Test
  void c25AConstraintThatIsCheckedAtTheCommitIsTracedToItsMessage() throws Exception {
    fixture.execute("create table parent (id int primary key)");
    fixture.execute(
        "create table child (parent int references parent deferrable initially deferred)");
    fixture.execute("insert into parent values (1)");
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(6));

    inbox.runSplitting(
        claims,
        batch -> {
          for (int i : batch.fresh()) {
            batch.begin(i).enqueue("insert into child values (?)", i == 4 ? 2 : 1);
          }
        },
        (index, failure) -> giveUp(claims.get(index), index, failure));

    assertThat(failures).containsOnlyKeys(4);
    assertThat(fixture.count("child")).isEqualTo(5);
    assertThat(fixture.text("select cause_message from idembox.dead_letter"))
        .contains("SQLSTATE 23503");
  }

  private static UUID id(String header) {
    return MessageIdResolver.defaults()
        .resolve(TestRecord.at(0, 0).header("message-id", header))
        .id();
  }

  private void giveUp(InboxClaim claim, int index, Exception failure) {
    failures.put(index, failure);
    inbox
        .deadLetters()
        .record(
            new DeadLetterDraft(
                claim,
                new DeadLetterContent(null, null, List.of(), null),
                DeadLetterError.of("handler failed", failure),
                1,
                null));
  }
}
