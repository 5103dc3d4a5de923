package io.idembox.effect;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The transition table of an effect's record: what each command makes of what is stored. Pure; a
 * store applies it under a lock or in a transaction. The Lua scripts of the Redis store say the
 * same in their language, and a test holds the two together; the protocol's model explores this
 * very table.
 */
public final class EffectTransitions {
  private EffectTransitions() {}

  /**
   * The outcome of one command.
   *
   * @param changed whether anything is to be written
   * @param next the record to store; null to remove it
   * @param keepFor how long to keep it from now; null for ever
   */
  public record Result(
      boolean changed, @Nullable EffectRecord next, @Nullable Duration keepFor, StoreReply reply) {}

  /**
   * Applies one command to one record.
   *
   * @param current what is stored; null if nothing
   * @param micros the store's clock, in microseconds since the epoch
   */
  public static Result apply(@Nullable EffectRecord current, StoreCommand command, long micros) {
    Step step = new Step(current, micros);
    if (current != null && current.state == EffectRecord.State.UNREADABLE) {
      // Never taken for free, nor written over: it may be what a newer release knows as done.
      return step.answer(StoreReply.Code.UNREADABLE);
    }
    if (command instanceof StoreCommand.Claim claim) {
      return step.claim(claim);
    } else if (command instanceof StoreCommand.Settle settle) {
      return step.settle(settle);
    } else if (command instanceof StoreCommand.Release release) {
      return step.release(release);
    } else if (command instanceof StoreCommand.MarkInDoubt mark) {
      return step.markInDoubt(mark);
    } else if (command instanceof StoreCommand.Renew renew) {
      return step.renew(renew);
    } else if (command instanceof StoreCommand.Resolve resolve) {
      return step.resolve(resolve);
    } else if (command instanceof StoreCommand.ResolveNotDone) {
      return step.resolveNotDone();
    } else if (command instanceof StoreCommand.EndLease) {
      return step.endLease();
    } else {
      return step.forget();
    }
  }

  private static final class Step {
    private final @Nullable EffectRecord current;
    private final long micros;
    private final long now;

    Step(@Nullable EffectRecord current, long micros) {
      this.current = current;
      this.micros = micros;
      this.now = micros / 1000;
    }

    Result claim(StoreCommand.Claim c) {
      boolean takesDoubt = c.earlierUnknown();
      boolean indexed = false;
      int attempts = c.attempt();
      long since = now;
      int generation = 0;
      long fence = micros;
      if (current != null) {
        generation = current.generation;
        if (current.settled()) {
          return answer(StoreReply.Code.SETTLED);
        }
        if (current.unsettled()) {
          if (current.token.equals(c.token()) && current.state == EffectRecord.State.CLAIMED) {
            // The first answer was lost. The lease starts anew: nothing ran since.
            return put(
                current.with(
                    current.state,
                    current.indexed,
                    now + c.lease().toMillis(),
                    current.sinceMillis));
          }
          if (current.state == EffectRecord.State.CLAIMED && current.untilMillis > now) {
            return answer(StoreReply.Code.HELD);
          }
          since = doubtSince(current);
          if (!c.takeOver()) {
            return doubt(current, StoreReply.Code.IN_DOUBT);
          }
          // The provider may have got the first request; a second one under the same provider key
          // must be the same.
          if (c.fingerprint() != 0
              && current.fingerprint != 0
              && c.fingerprint() != current.fingerprint) {
            return doubt(current, StoreReply.Code.MISMATCH);
          }
          takesDoubt = true;
          indexed = current.indexed;
          attempts = Math.max(current.attempts + 1, c.attempt());
          fence = Math.max(current.fence + 1, micros);
        }
      }
      EffectRecord claimed =
          EffectRecord.unsettled(
              EffectRecord.State.CLAIMED,
              takesDoubt,
              indexed,
              generation,
              Math.min(attempts, 0xffff),
              c.token(),
              fence,
              now + c.lease().toMillis(),
              since,
              c.fingerprint() != 0 || current == null ? c.fingerprint() : current.fingerprint,
              c.owner(),
              c.key().raw());
      // Somebody may have run it already, and nobody may take over: a person has to see it.
      return takesDoubt && !c.takeOver() ? doubt(claimed, StoreReply.Code.IN_DOUBT) : put(claimed);
    }

    Result settle(StoreCommand.Settle c) {
      if (current == null) {
        return put(c.settlement(), c.token().mark(), 0, StoreReply.Code.OK_ABSENT);
      }
      if (current.carries(c.token())) {
        return put(c.settlement(), c.token().mark(), current.generation, StoreReply.Code.OK);
      }
      if (current.settled() && current.mark == c.token().mark()) {
        return answer(StoreReply.Code.OK);
      }
      return answer(StoreReply.Code.LOST);
    }

    Result release(StoreCommand.Release c) {
      if (current == null) {
        return answer(StoreReply.Code.OK);
      }
      if (!current.carries(c.token())) {
        return answer(StoreReply.Code.LOST);
      }
      return current.doubtBefore
          ? silent(doubt(current, StoreReply.Code.OK))
          : free(current.generation);
    }

    Result markInDoubt(StoreCommand.MarkInDoubt c) {
      if (current == null || !current.carries(c.token())) {
        return answer(StoreReply.Code.LOST);
      }
      return silent(doubt(current, StoreReply.Code.OK));
    }

    Result renew(StoreCommand.Renew c) {
      if (current == null || !current.carries(c.token())) {
        return answer(StoreReply.Code.LOST);
      }
      return silent(
          put(
              current.with(
                  EffectRecord.State.CLAIMED,
                  true,
                  now + c.lease().toMillis(),
                  current.sinceMillis)));
    }

    Result endLease() {
      if (current == null || current.state != EffectRecord.State.CLAIMED) {
        return answer(StoreReply.Code.ABSENT);
      }
      return running() ? answer(StoreReply.Code.HELD) : silent(doubt(current, StoreReply.Code.OK));
    }

    Result resolve(StoreCommand.Resolve c) {
      if (current == null || current.state == EffectRecord.State.FREE) {
        return put(c.settlement(), 0, current == null ? 0 : current.generation, StoreReply.Code.OK);
      }
      Result refusal = refuseDecision();
      return refusal != null
          ? refusal
          : put(c.settlement(), 0, current.generation, StoreReply.Code.OK);
    }

    Result resolveNotDone() {
      if (current == null || current.state == EffectRecord.State.FREE) {
        return answer(StoreReply.Code.ABSENT);
      }
      Result refusal = refuseDecision();
      return refusal != null ? refusal : free(current.generation);
    }

    Result forget() {
      if (current == null || current.state == EffectRecord.State.FREE) {
        return answer(StoreReply.Code.ABSENT);
      }
      if (running()) {
        return answer(StoreReply.Code.HELD);
      }
      return free(Math.min(current.generation + 1, 0xffff));
    }

    private @Nullable Result refuseDecision() {
      if (current != null && current.settled()) {
        return answer(StoreReply.Code.SETTLED);
      }
      return running() ? answer(StoreReply.Code.HELD) : null;
    }

    private boolean running() {
      return current != null
          && current.state == EffectRecord.State.CLAIMED
          && current.untilMillis > now;
    }

    /** Since when it is in doubt: kept from an earlier attempt, else from the end of the lease. */
    private static long doubtSince(EffectRecord record) {
      return record.state == EffectRecord.State.IN_DOUBT || record.doubtBefore
          ? record.sinceMillis
          : record.untilMillis;
    }

    private Result doubt(EffectRecord record, StoreReply.Code code) {
      if (record.state == EffectRecord.State.IN_DOUBT) {
        return new Result(false, record, null, reply(code, record));
      }
      long since = record.doubtBefore ? record.sinceMillis : Math.min(now, record.untilMillis);
      EffectRecord next = record.with(EffectRecord.State.IN_DOUBT, true, record.untilMillis, since);
      return new Result(true, next, null, reply(code, next));
    }

    private Result put(EffectRecord next) {
      return new Result(true, next, null, reply(StoreReply.Code.OK, next));
    }

    private Result put(Settlement end, int mark, int generation, StoreReply.Code code) {
      EffectRecord next =
          EffectRecord.settled(
              end.done() ? EffectRecord.State.DONE : EffectRecord.State.REJECTED,
              end.receiptKept(),
              generation,
              mark,
              now,
              end.fingerprint(),
              end.payload());
      return new Result(true, next, end.retention(), reply(code, null));
    }

    private Result free(int generation) {
      return new Result(
          true,
          generation == 0 ? null : EffectRecord.free(generation),
          null,
          reply(StoreReply.Code.OK, null));
    }

    /** Without the record: only who claims needs it. */
    private Result silent(Result result) {
      return new Result(
          result.changed(), result.next(), result.keepFor(), reply(result.reply().code(), null));
    }

    Result answer(StoreReply.Code code) {
      return new Result(
          false, current, null, reply(code, code == StoreReply.Code.OK ? null : current));
    }

    private StoreReply reply(StoreReply.Code code, @Nullable EffectRecord record) {
      return new StoreReply(code, Instant.ofEpochMilli(now), record);
    }
  }
}
