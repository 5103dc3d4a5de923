package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import io.idembox.inbox.EffectJournal.JournalEntry;
import java.util.BitSet;
import java.util.List;

/**
 * A committed transaction.
 *
 * @param covered how many of the claims it decided, from the first: fewer than were given if the
 *     work {@linkplain InboxBatch#endBefore ended the batch early}
 * @param fresh which of those were new
 * @param intents written by this run, and this member's to perform now; those that are not
 *     {@linkplain JournalEntry#started() started} are to be marked one by one
 * @param timeline the server's: work of an earlier one may have been lost with its server
 * @param owesEffects whether the consumer had effects that nobody held after the claim; if not,
 *     there is no use in {@link EffectJournal#takeUnfinishedOf} for the duplicates of this run
 * @param openLetters whether it had open dead letters; if so, a duplicate of this run may be a copy
 *     that retries one: ask {@link DeadLetters#openAmong}
 */
public record InboxRun(
    int covered,
    BitSet fresh,
    List<JournalEntry> intents,
    int timeline,
    boolean owesEffects,
    boolean openLetters) {
  /** The list is copied if it is not immutable. */
  public InboxRun {
    requireNonNull(fresh, "fresh");
    intents = List.copyOf(intents);
  }
}
