package io.idembox.service;

import io.idembox.inbox.DeadLetter;
import io.idembox.inbox.DeadLetterState;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** What people do with dead letters, by command and by API. Thread-safe. */
final class LetterOperations {
  static final Set<DeadLetterState> WAITING =
      EnumSet.of(DeadLetterState.OPEN, DeadLetterState.HELD);

  private static final int PAGE = 500;

  private final Stores stores;

  LetterOperations(Stores stores) {
    this.stores = stores;
  }

  List<LetterView> list(Set<DeadLetterState> states, long after, int limit) {
    return stores.inbox().deadLetters().list(states, after, limit).stream()
        .map(LetterView::listed)
        .toList();
  }

  /**
   * One letter with its content.
   *
   * @throws NotPossibleException if there is none of this id
   */
  LetterView show(long id) {
    return LetterView.whole(letter(id));
  }

  /**
   * What came of a decision about one letter.
   *
   * @param done false if the letter's state did not allow it
   */
  record Decided(long id, boolean done, String detail) {}

  /** Gives letters up for good; their messages count as handled. Each id gets its answer. */
  List<Decided> discard(List<Long> ids, String why) {
    return ids.stream().map(id -> discard(id, why)).toList();
  }

  private Decided discard(long id, String why) {
    Optional<DeadLetter> letter = stores.inbox().deadLetters().show(id);
    if (letter.isEmpty()) {
      return new Decided(id, false, "is not there");
    }
    boolean done = stores.inbox().deadLetters().discard(id, why);
    return new Decided(
        id, done, done ? "discarded" : "is " + ValueType.name(letter.get().state()) + " already");
  }

  /** Every letter in these states with its content, in the order of their ids. */
  long export(Set<DeadLetterState> states, Consumer<LetterView> to) {
    long after = 0;
    long exported = 0;
    while (true) {
      List<DeadLetter> page = stores.inbox().deadLetters().list(states, after, PAGE);
      if (page.isEmpty()) {
        return exported;
      }
      for (DeadLetter listed : page) {
        after = listed.id();
        // Lists come without values: one may be megabytes.
        DeadLetter whole = stores.inbox().deadLetters().show(listed.id()).orElse(null);
        if (whole != null) {
          to.accept(LetterView.whole(whole));
          exported++;
        }
      }
    }
  }

  private DeadLetter letter(long id) {
    return stores
        .inbox()
        .deadLetters()
        .show(id)
        .orElseThrow(
            () ->
                new NotPossibleException(
                    "consumer " + stores.consumer().name() + " has no dead letter " + id));
  }
}
