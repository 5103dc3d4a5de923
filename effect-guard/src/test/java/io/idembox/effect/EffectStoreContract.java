package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.StoreReply.Code;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store keeps to, whoever calls it in whatever order. */
@WithServers({})
abstract class EffectStoreContract {
  static final Duration LIVE = Duration.ofMinutes(10);
  static final Duration ENDED = Duration.ofSeconds(-1);
  static final Duration RETENTION = Duration.ofHours(1);

  TestScope scope;
  EffectStore store;
  StoreCommands commands;

  /** A store that holds nothing under the scope's namespace. */
  abstract EffectStore store();

  /** Puts raw bytes in place of a record. */
  abstract void overwrite(EffectId id, byte[] stored);

  /** How long the store will keep a record; empty if for ever. */
  abstract Optional<Duration> keeps(EffectId id);

  @BeforeEach
  void open() {
    store = store();
    commands = new StoreCommands(scope.namespace());
  }

  StoreReply apply(StoreCommand command) {
    return store.apply(command).toCompletableFuture().join();
  }

  EffectRecord stored(EffectId id) {
    return store.lookUp(List.of(id)).toCompletableFuture().join().get(0).orElse(null);
  }

  @Test
  void theFirstClaimOfAnAbsentKeyWinsAndTheSecondFindsItHeld() {
    StoreReply first = apply(commands.claim("a", "t1", LIVE));
    StoreReply second = apply(commands.claim("a", "t2", LIVE));

    assertThat(first.code()).isEqualTo(Code.OK);
    assertThat(first.record().attempts()).isEqualTo(1);
    assertThat(first.record().earlierAttemptUnknown()).isFalse();
    assertThat(second.code()).isEqualTo(Code.HELD);
    assertThat(second.record().owner()).isEqualTo("owner-t1");
    assertThat(second.record().key()).contains(StoreCommands.key("a"));
    assertThat(Duration.between(second.at(), second.record().leaseUntil()))
        .isBetween(LIVE.minusSeconds(60), LIVE);
  }

  @Test
  void aClaimRepeatedWithItsOwnTokenIsRecognised() {
    StoreReply first = apply(commands.claim("a", "t1", LIVE));
    StoreReply again = apply(commands.claim("a", "t1", LIVE));

    assertThat(again.code()).isEqualTo(Code.OK);
    assertThat(again.record().attempts()).isEqualTo(1);
    assertThat(again.record().fence).isEqualTo(first.record().fence);
  }

  @Test
  void aSettledEffectIsToldToLaterClaimsAndNeverWrittenOver() {
    apply(commands.claim("a", "t1", LIVE));
    StoreReply settled = apply(commands.done("a", "t1", "receipt"));

    StoreReply later = apply(commands.claim("a", "t2", LIVE));
    StoreReply late = apply(commands.done("a", "t2", "other"));

    assertThat(settled.code()).isEqualTo(Code.OK);
    assertThat(later.code()).isEqualTo(Code.SETTLED);
    assertThat(later.record().state()).isEqualTo(EffectRecord.State.DONE);
    assertThat(later.record().receipt()).isEqualTo(StoreCommands.utf8("receipt"));
    assertThat(late.code()).isEqualTo(Code.LOST);
    assertThat(stored(commands.id("a")).receipt()).isEqualTo(StoreCommands.utf8("receipt"));
  }

  @Test
  void aSettlementRepeatedAfterALostAnswerIsRecognised() {
    apply(commands.claim("a", "t1", LIVE));
    apply(commands.done("a", "t1", "receipt"));

    assertThat(apply(commands.done("a", "t1", "receipt")).code()).isEqualTo(Code.OK);
  }

  @Test
  void aRejectionIsKeptWithItsReason() {
    apply(commands.claim("a", "t1", LIVE));
    apply(commands.rejected("a", "t1", "no such address"));

    StoreReply later = apply(commands.claim("a", "t2", LIVE));

    assertThat(later.code()).isEqualTo(Code.SETTLED);
    assertThat(later.record().state()).isEqualTo(EffectRecord.State.REJECTED);
    assertThat(later.record().reason()).isEqualTo("no such address");
  }

  @Test
  void anUnsettledRecordNeverExpiresAndASettledOneDoesAfterItsRetention() {
    apply(commands.claim("a", "t1", ENDED));
    assertThat(keeps(commands.id("a"))).isEmpty();
    apply(commands.inDoubt("a", "t1"));
    assertThat(keeps(commands.id("a"))).isEmpty();
    apply(commands.claim("a", "t2", LIVE));
    assertThat(keeps(commands.id("a"))).isEmpty();
    apply(commands.done("a", "t2", "receipt"));
    assertThat(keeps(commands.id("a")))
        .hasValueSatisfying(
            left -> assertThat(left).isBetween(RETENTION.minusMinutes(1), RETENTION));
  }

  @Test
  void anEndedLeaseIsTakenOverAsInDoubtAndTheLateHolderIsRefused() {
    StoreReply first = apply(commands.claim("a", "t1", ENDED));
    StoreReply second = apply(commands.claim("a", "t2", LIVE));

    assertThat(second.code()).isEqualTo(Code.OK);
    assertThat(second.record().earlierAttemptUnknown()).isTrue();
    assertThat(second.record().attempts()).isEqualTo(2);
    assertThat(second.record().fence).isGreaterThan(first.record().fence);
    assertThat(apply(commands.done("a", "t1", "late")).code()).isEqualTo(Code.LOST);
    assertThat(apply(commands.release("a", "t1")).code()).isEqualTo(Code.LOST);
    assertThat(apply(commands.inDoubt("a", "t1")).code()).isEqualTo(Code.LOST);
    assertThat(apply(commands.renew("a", "t1", LIVE)).code()).isEqualTo(Code.LOST);
    assertThat(apply(commands.done("a", "t2", "second")).code()).isEqualTo(Code.OK);
  }

  @Test
  void anEndedLeaseUnderHoldBecomesInDoubtForEverybody() {
    apply(commands.claim("a", "t1", ENDED));

    StoreReply held = apply(commands.hold(commands.claim("a", "t2", LIVE)));

    assertThat(held.code()).isEqualTo(Code.IN_DOUBT);
    assertThat(stored(commands.id("a")).state()).isEqualTo(EffectRecord.State.IN_DOUBT);
    assertThat(apply(commands.hold(commands.claim("a", "t3", LIVE))).code())
        .isEqualTo(Code.IN_DOUBT);
  }

  @Test
  void aCompletionIsAcceptedWhileTheRecordCarriesItsTokenEvenInDoubt() {
    apply(commands.claim("a", "t1", ENDED));
    apply(commands.hold(commands.claim("a", "t2", LIVE)));

    assertThat(apply(commands.done("a", "t1", "receipt")).code()).isEqualTo(Code.OK);
    assertThat(stored(commands.id("a")).state()).isEqualTo(EffectRecord.State.DONE);
  }

  @Test
  void aRenewalBringsAnEndedLeaseBackWhileNobodyHasTakenIt() {
    apply(commands.claim("a", "t1", ENDED));
    apply(commands.hold(commands.claim("a", "t2", LIVE)));

    assertThat(apply(commands.renew("a", "t1", LIVE)).code()).isEqualTo(Code.OK);
    assertThat(apply(commands.claim("a", "t3", LIVE)).code()).isEqualTo(Code.HELD);
  }

  @Test
  void aReleasePutsBackAbsence() {
    apply(commands.claim("a", "t1", LIVE));

    assertThat(apply(commands.release("a", "t1")).code()).isEqualTo(Code.OK);
    assertThat(stored(commands.id("a"))).isNull();
    assertThat(apply(commands.release("a", "t1")).code()).isEqualTo(Code.OK);
  }

  @Test
  void aReleasePutsBackTheDoubtThatWasThereBefore() {
    apply(commands.claim("a", "t1", ENDED));
    EffectRecord claimed = apply(commands.claim("a", "t2", LIVE)).record();

    assertThat(apply(commands.release("a", "t2")).code()).isEqualTo(Code.OK);
    EffectRecord back = stored(commands.id("a"));
    assertThat(back.state()).isEqualTo(EffectRecord.State.IN_DOUBT);
    assertThat(back.since()).isEqualTo(claimed.since());
  }

  @Test
  void aRunOfUnknownOutcomeIsInDoubtAtOnceAndMayBeTakenOver() {
    apply(commands.claim("a", "t1", LIVE));
    apply(commands.inDoubt("a", "t1"));

    assertThat(apply(commands.hold(commands.claim("a", "t2", LIVE))).code())
        .isEqualTo(Code.IN_DOUBT);
    StoreReply retry = apply(commands.claim("a", "t3", LIVE));
    assertThat(retry.code()).isEqualTo(Code.OK);
    assertThat(retry.record().earlierAttemptUnknown()).isTrue();
  }

  @Test
  void anAbsentRecordOfWhichAnAttemptIsKnownCountsAsInDoubt() {
    StoreCommand.Claim known = commands.earlierUnknown(commands.claim("a", "t1", LIVE), 4);

    assertThat(apply(commands.hold(known)).code()).isEqualTo(Code.IN_DOUBT);
    assertThat(stored(commands.id("a")).state()).isEqualTo(EffectRecord.State.IN_DOUBT);

    StoreReply taken = apply(commands.earlierUnknown(commands.claim("b", "t2", LIVE), 4));
    assertThat(taken.code()).isEqualTo(Code.OK);
    assertThat(taken.record().earlierAttemptUnknown()).isTrue();
    assertThat(taken.record().attempts()).isEqualTo(4);
    apply(commands.release("b", "t2"));
    assertThat(stored(commands.id("b")).state()).isEqualTo(EffectRecord.State.IN_DOUBT);
  }

  @Test
  void aRecordInDoubtIsNotRunAgainWithAnotherRequest() {
    apply(commands.fingerprint(commands.claim("a", "t1", ENDED), 7));

    StoreReply other = apply(commands.fingerprint(commands.claim("a", "t2", LIVE), 8));
    assertThat(other.code()).isEqualTo(Code.MISMATCH);
    StoreReply without = apply(commands.claim("a", "t3", ENDED));
    assertThat(without.code()).isEqualTo(Code.OK);
    assertThat(without.record().fingerprint()).isEqualTo(7);
    assertThat(apply(commands.fingerprint(commands.claim("a", "t4", LIVE), 7)).code())
        .isEqualTo(Code.OK);
  }

  @Test
  void aSettlementWithoutARecordIsStoredAndSaysSo() {
    assertThat(apply(commands.done("a", "t1", "receipt")).code()).isEqualTo(Code.OK_ABSENT);
    assertThat(stored(commands.id("a")).state()).isEqualTo(EffectRecord.State.DONE);
  }

  @Test
  void aPersonSettlesWhatIsInDoubtButNotWhatRuns() {
    apply(commands.claim("a", "t1", LIVE));
    assertThat(apply(commands.resolve("a", "x")).code()).isEqualTo(Code.HELD);
    assertThat(apply(new StoreCommand.ResolveNotDone(commands.id("a"))).code())
        .isEqualTo(Code.HELD);
    assertThat(apply(new StoreCommand.Forget(commands.id("a"))).code()).isEqualTo(Code.HELD);

    apply(commands.inDoubt("a", "t1"));
    assertThat(apply(commands.resolve("a", "by hand")).code()).isEqualTo(Code.OK);
    assertThat(stored(commands.id("a")).receipt()).isEqualTo(StoreCommands.utf8("by hand"));
    assertThat(apply(commands.resolve("a", "again")).code()).isEqualTo(Code.SETTLED);
    assertThat(apply(new StoreCommand.ResolveNotDone(commands.id("a"))).code())
        .isEqualTo(Code.SETTLED);
  }

  @Test
  void notDoneFreesTheKeyWithoutANewGeneration() {
    apply(commands.claim("a", "t1", ENDED));

    assertThat(apply(new StoreCommand.ResolveNotDone(commands.id("a"))).code()).isEqualTo(Code.OK);
    assertThat(apply(new StoreCommand.ResolveNotDone(commands.id("a"))).code())
        .isEqualTo(Code.ABSENT);
    StoreReply next = apply(commands.claim("a", "t2", LIVE));
    assertThat(next.record().generation()).isZero();
    assertThat(next.record().earlierAttemptUnknown()).isFalse();
  }

  @Test
  void forgettingFreesTheKeyUnderANewGenerationWhichOutlivesReleaseAndSettlement() {
    apply(commands.claim("a", "t1", LIVE));
    apply(commands.done("a", "t1", "receipt"));

    assertThat(apply(new StoreCommand.Forget(commands.id("a"))).code()).isEqualTo(Code.OK);
    assertThat(apply(new StoreCommand.Forget(commands.id("a"))).code()).isEqualTo(Code.ABSENT);
    assertThat(apply(commands.claim("a", "t2", LIVE)).record().generation()).isEqualTo(1);
    apply(commands.release("a", "t2"));
    assertThat(apply(commands.claim("a", "t3", LIVE)).record().generation()).isEqualTo(1);
    apply(commands.done("a", "t3", "receipt 2"));
    EffectRecord done = stored(commands.id("a"));
    assertThat(done.generation()).isEqualTo(1);
    assertThat(done.receipt()).isEqualTo(StoreCommands.utf8("receipt 2"));
    apply(new StoreCommand.Forget(commands.id("a")));
    assertThat(stored(commands.id("a")).generation()).isEqualTo(2);
  }

  @Test
  void aLateCompletionAfterForgetIsRefused() {
    apply(commands.claim("a", "t1", ENDED));
    apply(new StoreCommand.Forget(commands.id("a")));

    assertThat(apply(commands.done("a", "t1", "late")).code()).isEqualTo(Code.LOST);
    assertThat(stored(commands.id("a")).state()).isEqualTo(EffectRecord.State.FREE);
  }

  @Test
  void aRecordThatCannotBeReadIsHeldAndLeftAsItIs() {
    List<byte[]> unreadable =
        List.of(
            StoreCommands.utf8("xx"),
            new byte[0],
            new byte[] {0x21, 0, 0, 0, 0},
            new byte[] {0x11, 0, 0, 0},
            new byte[] {0x1f, 0, 0, 0});
    for (byte[] bytes : unreadable) {
      overwrite(commands.id("a"), bytes);
      List<StoreCommand> all =
          List.of(
              commands.claim("a", "t1", LIVE),
              commands.done("a", "t1", "r"),
              commands.release("a", "t1"),
              commands.inDoubt("a", "t1"),
              commands.renew("a", "t1", LIVE),
              commands.resolve("a", "r"),
              new StoreCommand.ResolveNotDone(commands.id("a")),
              new StoreCommand.Forget(commands.id("a")));
      for (StoreCommand command : all) {
        assertThat(apply(command).code()).as("%s", command).isEqualTo(Code.UNREADABLE);
      }
      assertThat(stored(commands.id("a")).encode()).isEqualTo(bytes);
    }
  }

  @Test
  void theIndexListsWhatIsInDoubtOrRenewedAndNothingElse() {
    apply(commands.claim("fresh", "t1", LIVE));
    apply(commands.claim("renewed", "t2", LIVE));
    apply(commands.renew("renewed", "t2", LIVE));
    apply(commands.claim("doubt", "t3", LIVE));
    apply(commands.inDoubt("doubt", "t3"));
    apply(commands.claim("held", "t4", ENDED));
    apply(commands.hold(commands.claim("held", "t5", LIVE)));
    apply(commands.claim("done", "t6", LIVE));
    apply(commands.renew("done", "t6", LIVE));
    apply(commands.done("done", "t6", "r"));
    apply(commands.claim("released", "t7", LIVE));
    apply(commands.renew("released", "t7", LIVE));
    apply(commands.release("released", "t7"));
    apply(commands.claim("back", "t8", ENDED));
    apply(commands.claim("back", "t9", LIVE));
    apply(commands.release("back", "t9"));
    apply(commands.claim("forgotten", "t10", LIVE));
    apply(commands.inDoubt("forgotten", "t10"));
    apply(new StoreCommand.Forget(commands.id("forgotten")));
    apply(commands.claim("not done", "t11", LIVE));
    apply(commands.inDoubt("not done", "t11"));
    apply(new StoreCommand.ResolveNotDone(commands.id("not done")));
    apply(commands.claim("resolved", "t12", LIVE));
    apply(commands.inDoubt("resolved", "t12"));
    apply(commands.resolve("resolved", "r"));
    apply(commands.hold(commands.earlierUnknown(commands.claim("known", "t13", LIVE), 2)));
    apply(commands.claim("taken over", "t14", LIVE));
    apply(commands.inDoubt("taken over", "t14"));
    apply(commands.claim("taken over", "t15", LIVE));
    apply(commands.done("taken over", "t15", "r"));

    assertThat(listed(scope.namespace()))
        .containsExactlyInAnyOrder(
            StoreCommands.key("renewed"),
            StoreCommands.key("doubt"),
            StoreCommands.key("held"),
            StoreCommands.key("back"),
            StoreCommands.key("known"));
    assertThat(listed(scope.namespace() + "-other")).isEmpty();
  }

  @Test
  void aSweepFindsAbandonedClaimsThatNobodyAskedFor() {
    apply(commands.claim("abandoned", "t1", ENDED));
    apply(commands.claim("alive", "t2", LIVE));
    apply(commands.claim("done", "t3", ENDED));
    apply(commands.done("done", "t3", "r"));
    assertThat(store.sweep(scope.namespace() + "-other").toCompletableFuture().join()).isZero();

    assertThat(store.sweep(scope.namespace()).toCompletableFuture().join()).isEqualTo(1);
    assertThat(listed(scope.namespace())).containsExactly(StoreCommands.key("abandoned"));
    assertThat(stored(commands.id("abandoned")).state()).isEqualTo(EffectRecord.State.IN_DOUBT);
    assertThat(apply(commands.done("abandoned", "t1", "late")).code()).isEqualTo(Code.OK);
    assertThat(listed(scope.namespace())).isEmpty();
    assertThat(apply(new StoreCommand.EndLease(commands.id("alive"))).code()).isEqualTo(Code.HELD);
    assertThat(apply(new StoreCommand.EndLease(commands.id("none"))).code()).isEqualTo(Code.ABSENT);
  }

  private List<EffectKey> listed(String namespace) {
    List<EffectKey> keys = new ArrayList<>();
    store
        .unsettled(namespace)
        .toCompletableFuture()
        .join()
        .forEach(record -> keys.add(record.key().orElseThrow()));
    return keys;
  }

  @Test
  void aLookUpAnswersInOrderAndChangesNothing() {
    apply(commands.claim("a", "t1", ENDED));
    apply(commands.claim("b", "t2", LIVE));
    apply(commands.done("b", "t2", "r"));

    List<Optional<EffectRecord>> found =
        store
            .lookUp(
                List.of(commands.id("b"), commands.id("none"), commands.id("a"), commands.id("b")))
            .toCompletableFuture()
            .join();

    assertThat(found).hasSize(4);
    assertThat(found.get(0).orElseThrow().state()).isEqualTo(EffectRecord.State.DONE);
    assertThat(found.get(1)).isEmpty();
    assertThat(found.get(2).orElseThrow().state()).isEqualTo(EffectRecord.State.CLAIMED);
    assertThat(found.get(3)).isEqualTo(found.get(0));
    assertThat(store.lookUp(List.of()).toCompletableFuture().join()).isEmpty();
  }

  @Test
  void commandsSentTogetherAreAnsweredInOrder() {
    List<StoreCommand> batch = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      batch.add(commands.claim("k" + i / 2, "t" + i, LIVE));
    }
    List<CompletionStage<StoreReply>> replies = store.applyAll(batch);

    for (int i = 0; i < 100; i++) {
      assertThat(replies.get(i).toCompletableFuture().join().code())
          .isEqualTo(i % 2 == 0 ? Code.OK : Code.HELD);
    }
  }

  @Test
  void aBulkOfClaimsDecidesEachKeyByItself() {
    apply(commands.claim("done", "t1", LIVE));
    apply(commands.done("done", "t1", "r"));
    apply(commands.claim("held", "t2", LIVE));
    apply(commands.fingerprint(commands.claim("ended", "t3", ENDED), 7));
    apply(commands.fingerprint(commands.claim("other request", "t4", ENDED), 7));
    apply(commands.claim("own", "own", LIVE));
    apply(commands.claim("forgotten", "t5", LIVE));
    apply(commands.done("forgotten", "t5", "r"));
    apply(new StoreCommand.Forget(commands.id("forgotten")));
    overwrite(commands.id("damaged"), StoreCommands.utf8("xx"));
    List<StoreCommand> bulk = new ArrayList<>();
    for (String key :
        List.of(
            "new",
            "done",
            "held",
            "ended",
            "other request",
            "own",
            "forgotten",
            "damaged",
            "new too")) {
      bulk.add(
          commands.fingerprint(
              commands.claim(key, key, LIVE), key.equals("other request") ? 8 : 7));
    }

    List<StoreReply> replies = all(bulk);

    assertThat(replies)
        .extracting(StoreReply::code)
        .containsExactly(
            Code.OK,
            Code.SETTLED,
            Code.HELD,
            Code.OK,
            Code.MISMATCH,
            Code.OK,
            Code.OK,
            Code.UNREADABLE,
            Code.OK);
    assertThat(replies.get(0).record().encode()).isEqualTo(stored(commands.id("new")).encode());
    assertThat(replies.get(0).record().token).isEqualTo(StoreCommands.token("new"));
    assertThat(Duration.between(replies.get(0).at(), replies.get(0).record().leaseUntil()))
        .isEqualTo(LIVE);
    assertThat(replies.get(1).record().receipt()).isEqualTo(StoreCommands.utf8("r"));
    assertThat(replies.get(2).record().owner()).isEqualTo("owner-t2");
    assertThat(replies.get(3).record().earlierAttemptUnknown()).isTrue();
    assertThat(replies.get(3).record().attempts()).isEqualTo(2);
    assertThat(replies.get(6).record().generation()).isEqualTo(1);
    assertThat(keeps(commands.id("new"))).isEmpty();
  }

  @Test
  void aBulkOfClaimsUnderHoldTakesNothingThatSomebodyMayHaveRun() {
    apply(commands.claim("ended", "t1", ENDED));
    List<StoreReply> replies =
        all(
            List.of(
                commands.hold(commands.claim("new", "t2", LIVE)),
                commands.hold(commands.claim("ended", "t3", LIVE)),
                commands.hold(commands.earlierUnknown(commands.claim("known", "t4", LIVE), 2))));

    assertThat(replies)
        .extracting(StoreReply::code)
        .containsExactly(Code.OK, Code.IN_DOUBT, Code.IN_DOUBT);
    assertThat(stored(commands.id("known")).state()).isEqualTo(EffectRecord.State.IN_DOUBT);
    List<StoreReply> taken =
        all(
            List.of(
                commands.earlierUnknown(commands.claim("a", "t5", LIVE), 4),
                commands.earlierUnknown(commands.claim("b", "t6", LIVE), 5)));
    assertThat(taken).extracting(StoreReply::code).containsOnly(Code.OK);
    assertThat(stored(commands.id("b")).earlierAttemptUnknown()).isTrue();
    assertThat(stored(commands.id("b")).attempts()).isEqualTo(5);
  }

  @Test
  void aBulkOfEndsSettlesOnlyWhatEachHolderHolds() {
    apply(commands.claim("own", "t1", LIVE));
    apply(commands.claim("renewed", "t2", LIVE));
    apply(commands.renew("renewed", "t2", LIVE));
    apply(commands.claim("taken over", "t3", ENDED));
    apply(commands.claim("taken over", "t4", LIVE));
    apply(commands.claim("in doubt", "t5", LIVE));
    apply(commands.inDoubt("in doubt", "t5"));
    apply(commands.claim("settled", "t6", LIVE));
    apply(commands.done("settled", "t6", "r"));
    apply(commands.claim("second try", "t7", ENDED));
    apply(commands.claim("second try", "t8", LIVE));

    List<StoreReply> replies =
        all(
            List.of(
                commands.done("own", "t1", "r1"),
                commands.done("renewed", "t2", "r2"),
                commands.done("taken over", "t3", "late"),
                commands.rejected("in doubt", "t5", "no"),
                commands.done("settled", "t6", "r"),
                commands.done("absent", "t9", "r9"),
                commands.done("second try", "t8", "r8")));

    assertThat(replies)
        .extracting(StoreReply::code)
        .containsExactly(Code.OK, Code.OK, Code.LOST, Code.OK, Code.OK, Code.OK_ABSENT, Code.OK);
    assertThat(stored(commands.id("own")).receipt()).isEqualTo(StoreCommands.utf8("r1"));
    assertThat(keeps(commands.id("own")))
        .hasValueSatisfying(
            left -> assertThat(left).isBetween(RETENTION.minusMinutes(1), RETENTION));
    assertThat(stored(commands.id("taken over")).token).isEqualTo(StoreCommands.token("t4"));
    assertThat(stored(commands.id("in doubt")).reason()).isEqualTo("no");
    assertThat(listed(scope.namespace())).isEmpty();
  }

  private List<StoreReply> all(List<StoreCommand> bulk) {
    return store.applyAll(bulk).stream().map(stage -> stage.toCompletableFuture().join()).toList();
  }

  @Test
  void theMarkerStaysTheSame() {
    StoreMarker first = store.marker(scope.namespace()).toCompletableFuture().join();
    StoreMarker second = store.marker(scope.namespace()).toCompletableFuture().join();

    assertThat(first.fresh()).isTrue();
    assertThat(second.fresh()).isFalse();
    assertThat(second.id()).isEqualTo(first.id());
    assertThat(second.createdAt()).isEqualTo(first.createdAt());
    assertThat(store.marker(scope.namespace() + "-other").toCompletableFuture().join().id())
        .isNotEqualTo(first.id());
  }
}
