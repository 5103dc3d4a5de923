package io.idembox.inbox;

import io.idembox.effect.EffectInProgressException;
import io.idembox.effect.EffectStoreException;
import io.idembox.inbox.EffectJournal.JournalEntry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Runs a batch; where a handler fails, its halves, and so on until the message at fault stands
 * alone. In order: a message runs only after those before it are committed or given up. No
 * savepoints: those cost each message, and this costs only those beside a failure.
 */
final class SplittingRun {
  private final ConsumerInbox inbox;
  private final List<InboxClaim> claims;
  private final InboxWork work;
  private final BatchFailure onAlone;
  private final BitSet fresh = new BitSet();
  private final List<JournalEntry> intents = new ArrayList<>();
  private int timeline;
  private boolean owesEffects;
  private boolean openLetters;

  SplittingRun(ConsumerInbox inbox, List<InboxClaim> claims, InboxWork work, BatchFailure onAlone) {
    this.inbox = inbox;
    this.claims = claims;
    this.work = work;
    this.onAlone = onAlone;
  }

  InboxRun run() throws Exception {
    try {
      run(0, claims.size());
    } catch (Throwable failure) {
      handBack(failure);
      throw failure;
    }
    return new InboxRun(claims.size(), fresh, intents, timeline, owesEffects, openLetters);
  }

  /** The caller never learns of the effects that the parts before the failure owe. */
  private void handBack(Throwable failure) {
    try {
      inbox.journal().giveBack(intents);
    } catch (InboxStatementException e) {
      // Their leases end by themselves.
      failure.addSuppressed(e);
    }
  }

  private void run(int from, int to) throws Exception {
    if (from == to) {
      return;
    }
    int covered;
    try {
      InboxRun part =
          inbox.run(claims.subList(from, to), batch -> work.handle(new Shifted(batch, from)));
      add(from, part);
      covered = part.covered();
    } catch (Exception e) {
      if (!isOfAMessage(e, to - from)) {
        throw e;
      }
      if (to - from == 1) {
        onAlone.failed(from, e);
        return;
      }
      int middle = (from + to) >>> 1;
      run(from, middle);
      run(middle, to);
      return;
    }
    run(from + covered, to);
  }

  /**
   * Whether splitting can find a message at fault. An outage, another transaction's lock or an
   * effect under way elsewhere is no message's fault: given up for it, a whole topic would end in
   * the dead letters. Of the inbox's own statements only a constraint that is checked at the commit
   * is.
   */
  private static boolean isOfAMessage(Exception failure, int messages) {
    boolean own = false;
    for (Throwable t : Causes.of(failure)) {
      own |= t instanceof InboxStatementException;
      if (t instanceof EffectStoreException || t instanceof EffectInProgressException) {
        return false;
      }
      if (t instanceof SQLException sql && sql.getSQLState() != null) {
        String state = sql.getSQLState();
        // The server ended a transaction that idled too long: a smaller one may be quick enough.
        boolean slow = state.equals(SqlErrors.IDLE_IN_TRANSACTION) && messages > 1;
        return slow || (own ? SqlErrors.isOfTheData(state) : !SqlErrors.isNobodysFault(state));
      }
    }
    return !own;
  }

  private void add(int from, InboxRun part) {
    part.fresh().stream().forEach(i -> fresh.set(from + i));
    intents.addAll(part.intents());
    // The oldest counts: what ran on a server that is gone may be gone too.
    timeline = timeline == 0 ? part.timeline() : Math.min(timeline, part.timeline());
    owesEffects |= part.owesEffects();
    openLetters |= part.openLetters();
  }

  /** A part of the batch, under the indexes of the whole. */
  private record Shifted(InboxBatch part, int by) implements InboxBatch {
    @Override
    public int[] fresh() {
      int[] indexes = part.fresh();
      for (int i = 0; i < indexes.length; i++) {
        indexes[i] += by;
      }
      return indexes;
    }

    @Override
    public InboxTransaction begin(int index) {
      return part.begin(index - by);
    }

    @Override
    public void endBefore(int index) {
      part.endBefore(index - by);
    }

    @Override
    public InboxTransaction all() {
      return part.all();
    }
  }
}
