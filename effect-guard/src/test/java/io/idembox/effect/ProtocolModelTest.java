package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Explores the protocol's model, and sees it find faults that are put in. */
final class ProtocolModelTest {
  @Test
  void noHistoryUnderHoldBreaksAPromise() {
    ProtocolModel.Finding found =
        new ProtocolModel(OnUnknown.HOLD, true, EffectTransitions::apply).explore();

    assertThat(found.broken()).as("%s", found.history()).isNull();
    assertThat(found.states()).isGreaterThan(1_000);
  }

  @Test
  void noHistoryUnderRetryBreaksAPromise() {
    ProtocolModel.Finding found =
        new ProtocolModel(OnUnknown.RETRY, true, EffectTransitions::apply).explore();

    assertThat(found.broken()).as("%s", found.history()).isNull();
    assertThat(found.states()).isGreaterThan(1_000);
  }

  @Test
  void aCompletionThatDoesNotCompareTheTokenIsFound() {
    ProtocolModel.Finding found =
        new ProtocolModel(
                OnUnknown.RETRY,
                true,
                (current, command, micros) ->
                    command instanceof StoreCommand.Settle
                        ? EffectTransitions.apply(null, command, micros)
                        : EffectTransitions.apply(current, command, micros))
            .explore();

    assertThat(found.broken()).isEqualTo("a completed receipt was overwritten");
    assertThat(found.history()).isNotEmpty();
  }

  @Test
  void aTakeOverUnderHoldIsFound() {
    ProtocolModel.Finding found =
        new ProtocolModel(
                OnUnknown.HOLD,
                true,
                (current, command, micros) ->
                    EffectTransitions.apply(
                        current,
                        command instanceof StoreCommand.Claim c ? takingOver(c) : command,
                        micros))
            .explore();

    assertThat(found.broken()).isEqualTo("two runs under HOLD");
  }

  @Test
  void aJournalThatDoesNotTellOfEarlierAttemptsIsFound() {
    ProtocolModel.Finding found =
        new ProtocolModel(
                OnUnknown.HOLD,
                true,
                (current, command, micros) ->
                    EffectTransitions.apply(
                        current,
                        command instanceof StoreCommand.Claim c ? knowingNothing(c) : command,
                        micros))
            .explore();

    // The store lost its data while the first run was under way.
    assertThat(found.broken()).isEqualTo("two runs under HOLD");
  }

  @Test
  void theGuardAloneKeepsItsPromisesAsLongAsTheStoreKeepsItsData() {
    for (OnUnknown policy : new OnUnknown[] {OnUnknown.HOLD, OnUnknown.RETRY}) {
      ProtocolModel.Finding found =
          new ProtocolModel(policy, false, EffectTransitions::apply).explore();

      assertThat(found.broken()).as("%s: %s", policy, found.history()).isNull();
    }
  }

  @Test
  void anEndedLeaseThatFreesItsKeyIsFound() {
    ProtocolModel.Finding found =
        new ProtocolModel(
                OnUnknown.HOLD,
                false,
                (current, command, micros) ->
                    EffectTransitions.apply(
                        command instanceof StoreCommand.Claim
                                && current != null
                                && current.unsettled()
                                && current.untilMillis < micros / 1000
                            ? null
                            : current,
                        command,
                        micros))
            .explore();

    assertThat(found.broken()).isEqualTo("two runs under HOLD");
  }

  private static StoreCommand takingOver(StoreCommand.Claim c) {
    return new StoreCommand.Claim(
        c.id(),
        c.token(),
        c.key(),
        c.lease(),
        true,
        c.earlierUnknown(),
        c.attempt(),
        c.fingerprint(),
        c.owner());
  }

  private static StoreCommand knowingNothing(StoreCommand.Claim c) {
    return new StoreCommand.Claim(
        c.id(),
        c.token(),
        c.key(),
        c.lease(),
        c.takeOver(),
        false,
        c.attempt(),
        c.fingerprint(),
        c.owner());
  }
}
