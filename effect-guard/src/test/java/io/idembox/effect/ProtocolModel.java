package io.idembox.effect;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Every history of two workers, one key and one journal row: each may crash at any step, any reply
 * may be lost, any lease may end at any time (so a worker may be frozen for as long as one likes),
 * and the store may lose its data once. Explored without gaps, over the very transition table that
 * the stores apply.
 *
 * <p>Time is left out: a lease either holds or has ended. So is what a person decides.
 */
final class ProtocolModel {
  private static final long NOW = 1_000_000_000L;
  private static final Duration LIVE = Duration.ofSeconds(1);
  private static final EffectKey KEY = EffectKey.of("model").id("1");
  private static final EffectId ID = EffectId.of("model", KEY);
  private static final int CLAIMS_PER_WORKER = 3;

  /** What the store does with a command: the real table, or one with a fault put in. */
  @FunctionalInterface
  interface Table {
    EffectTransitions.Result apply(EffectRecord current, StoreCommand command, long micros);
  }

  enum Step {
    IDLE,
    MARKED,
    CLAIM_UNANSWERED,
    CLAIMED,
    RAN,
    END_UNANSWERED,
    FINISHED
  }

  enum Row {
    PENDING,
    STARTED,
    DONE,
    HELD
  }

  /** The journal's row; while started, who marked it, and whether that mark's lease has ended. */
  record Journal(Row row, int owner, boolean leaseEnded) {}

  record Worker(Step step, int claims, boolean earlierUnknown, boolean endDone) {
    Worker at(Step next) {
      return new Worker(next, claims, earlierUnknown, endDone);
    }
  }

  /**
   * One state; {@code receipt} is the first that was ever stored as done, and {@code stored} the
   * one that now is.
   */
  record World(
      EffectRecord record,
      Journal journal,
      List<Worker> workers,
      int runs,
      int receipt,
      int crashes,
      int lost,
      int losses) {
    World with(EffectRecord newRecord) {
      int now =
          newRecord != null && newRecord.state() == EffectRecord.State.DONE
              ? newRecord.receipt()[0]
              : 0;
      return new World(
          newRecord, journal, workers, runs, receipt == 0 ? now : receipt, crashes, lost, losses);
    }

    World with(Journal newJournal) {
      return new World(record, newJournal, workers, runs, receipt, crashes, lost, losses);
    }

    World with(int who, Worker worker) {
      List<Worker> changed =
          who == 0 ? List.of(worker, workers.get(1)) : List.of(workers.get(0), worker);
      return new World(record, journal, changed, runs, receipt, crashes, lost, losses);
    }

    /**
     * Equal records are one object here ({@link ProtocolModel#same}): to hash one takes longer than
     * all the rest.
     */
    @Override
    public int hashCode() {
      int numbers = ((((runs * 31 + receipt) * 31 + crashes) * 31) + lost) * 31 + losses;
      return ((numbers * 31 + System.identityHashCode(record)) * 31 + journal.hashCode()) * 31
          + workers.hashCode();
    }

    int stored() {
      return record != null && record.state() == EffectRecord.State.DONE ? record.receipt()[0] : 0;
    }
  }

  /**
   * What was found: how many states, and the first broken promise with the history that leads to
   * it.
   */
  record Finding(int states, String broken, List<String> history) {}

  /** By what action, from where, a state was first reached. */
  record Origin(World from, String action) {}

  private static final List<Map<Step, String>> ACTS = names("worker %d %s");
  private static final List<Map<Step, String>> CRASHES = names("crash of worker %d at %s");

  private static List<Map<Step, String>> names(String format) {
    List<Map<Step, String>> names = new ArrayList<>();
    for (int who = 0; who < 2; who++) {
      Map<Step, String> ofWorker = new EnumMap<>(Step.class);
      for (Step step : Step.values()) {
        ofWorker.put(step, format.formatted(who, step));
      }
      names.add(ofWorker);
    }
    return names;
  }

  private final OnUnknown policy;
  private final boolean journal;
  private final Table table;
  private final Map<World, Origin> cameFrom = new HashMap<>();
  private final Deque<World> open = new ArrayDeque<>();
  private final Map<EffectRecord, EffectRecord> records = new HashMap<>();
  private String broken;
  private World breaking;

  /**
   * A model.
   *
   * @param journal whether a row says that an earlier attempt may have started; without one,
   *     whoever comes again knows nothing, as a queue's next delivery, and the store must keep its
   *     data
   */
  ProtocolModel(OnUnknown policy, boolean journal, Table table) {
    this.policy = policy;
    this.journal = journal;
    this.table = table;
  }

  Finding explore() {
    Worker idle = new Worker(Step.IDLE, 0, false, false);
    World start =
        new World(
            null,
            new Journal(Row.PENDING, -1, false),
            List.of(idle, idle),
            0,
            0,
            2,
            2,
            journal ? 1 : 0);
    cameFrom.put(start, new Origin(start, "start"));
    open.add(start);
    while (!open.isEmpty() && broken == null) {
      World world = open.poll();
      boolean[] acted = {false};
      for (int who = 0; who < 2; who++) {
        String act = ACTS.get(who).get(world.workers().get(who).step());
        act(world, who, next -> acted[0] |= reach(world, next, act));
        crash(world, who);
      }
      environment(world);
      if (!acted[0]) {
        checkEnd(world);
      }
    }
    List<String> history = new ArrayList<>();
    for (World at = breaking; at != null && !at.equals(start); at = cameFrom.get(at).from()) {
      history.add(0, cameFrom.get(at).action() + " -> " + at);
    }
    return new Finding(cameFrom.size(), broken, history);
  }

  private boolean reach(World from, World to, String action) {
    if (to.equals(from)) {
      return false;
    }
    if (cameFrom.putIfAbsent(to, new Origin(from, action)) == null) {
      open.add(to);
      check(from, to);
    }
    return true;
  }

  private void check(World from, World to) {
    if (policy == OnUnknown.HOLD && to.runs() > 1) {
      fail("two runs under HOLD", to);
    }
    if (from.stored() != 0 && to.record() != null && to.stored() != from.stored()) {
      fail("a completed receipt was overwritten", to);
    }
    if (to.journal().row() == Row.DONE && to.runs() == 0) {
      fail("done without a run", to);
    }
  }

  /** A state in which no worker can do anything more. */
  private void checkEnd(World world) {
    boolean spent = world.workers().stream().anyMatch(w -> w.claims() >= CLAIMS_PER_WORKER);
    boolean waits = world.journal().row() == Row.STARTED && !world.journal().leaseEnded();
    boolean holds =
        world.record() != null
            && world.record().state() == EffectRecord.State.CLAIMED
            && live(world.record());
    // A lease that still holds ends some day; a worker that has used up its claims in this model
    // would go on.
    if (!spent
        && !waits
        && !holds
        && world.journal().row() != Row.DONE
        && world.journal().row() != Row.HELD) {
      fail("lost: an end that is neither done nor held", world);
    }
  }

  private void fail(String what, World world) {
    if (broken == null) {
      broken = what;
      breaking = world;
    }
  }

  private void act(World w, int who, Consumer<World> to) {
    Worker worker = w.workers().get(who);
    switch (worker.step()) {
      case IDLE -> mark(w, who, to);
      case MARKED, CLAIM_UNANSWERED -> claim(w, who, to);
      case CLAIMED -> {
        World ran =
            new World(
                w.record(),
                w.journal(),
                w.workers(),
                w.runs() + 1,
                w.receipt(),
                w.crashes(),
                w.lost(),
                w.losses());
        to.accept(
            ran.with(who, new Worker(Step.RAN, worker.claims(), worker.earlierUnknown(), true)));
        to.accept(
            ran.with(who, new Worker(Step.RAN, worker.claims(), worker.earlierUnknown(), false)));
      }
      case RAN, END_UNANSWERED -> end(w, who, to);
      case FINISHED -> {}
    }
  }

  private void mark(World w, int who, Consumer<World> to) {
    Worker worker = w.workers().get(who);
    Journal j = w.journal();
    if (j.row() == Row.DONE || j.row() == Row.HELD) {
      to.accept(w.with(who, worker.at(Step.FINISHED)));
    } else if (worker.claims() < CLAIMS_PER_WORKER && (j.row() == Row.PENDING || j.leaseEnded())) {
      boolean unknown = journal && j.row() == Row.STARTED;
      World marked = w.with(new Journal(Row.STARTED, who, false));
      to.accept(marked.with(who, new Worker(Step.MARKED, worker.claims() + 1, unknown, false)));
    }
  }

  private EffectToken token(int who, Worker worker) {
    byte[] bytes = new byte[EffectToken.LENGTH];
    Arrays.fill(bytes, (byte) (who * 10 + worker.claims()));
    return EffectToken.ofBytes(bytes);
  }

  private void claim(World w, int who, Consumer<World> to) {
    Worker worker = w.workers().get(who);
    StoreCommand.Claim claim =
        new StoreCommand.Claim(
            ID,
            token(who, worker),
            KEY,
            LIVE,
            policy != OnUnknown.HOLD,
            worker.earlierUnknown(),
            1,
            0,
            "w");
    send(
        w,
        claim,
        (next, reply) -> claimed(next, who, reply, to),
        next -> to.accept(next.with(who, worker.at(Step.CLAIM_UNANSWERED))));
    if (worker.step() == Step.CLAIM_UNANSWERED) {
      // It gives up: what may have been applied is released, and the row goes back.
      StoreCommand release = new StoreCommand.Release(ID, token(who, worker));
      send(w, release, (next, reply) -> to.accept(postponed(next, who)), next -> {});
    }
  }

  private World postponed(World w, int who) {
    Worker worker = w.workers().get(who);
    Journal j = w.journal();
    World next = w.with(who, new Worker(Step.IDLE, worker.claims(), false, false));
    if (j.row() == Row.STARTED && j.owner() == who) {
      // What was unknown before stays so.
      next =
          next.with(
              worker.earlierUnknown()
                  ? new Journal(Row.STARTED, who, true)
                  : new Journal(Row.PENDING, -1, false));
    }
    return next;
  }

  private void claimed(World w, int who, StoreReply reply, Consumer<World> to) {
    Worker worker = w.workers().get(who);
    switch (reply.code()) {
      case OK -> to.accept(w.with(who, worker.at(Step.CLAIMED)));
      case SETTLED -> to.accept(journal(w, who, Row.DONE));
      case IN_DOUBT -> to.accept(journal(w, who, Row.HELD));
      // It waits; or puts the row back and tries again later.
      case HELD -> to.accept(postponed(w, who));
      default -> throw new IllegalStateException("unexpected " + reply.code());
    }
  }

  private World journal(World w, int who, Row row) {
    Worker worker = w.workers().get(who);
    Journal j = w.journal();
    World next = w.with(who, new Worker(Step.IDLE, worker.claims(), false, false));
    return j.row() == Row.STARTED && j.owner() == who
        ? next.with(new Journal(row, -1, false))
        : next;
  }

  private void end(World w, int who, Consumer<World> to) {
    Worker worker = w.workers().get(who);
    EffectToken token = token(who, worker);
    StoreCommand command =
        worker.endDone()
            ? new StoreCommand.Settle(
                ID,
                token,
                Settlement.done(
                    new byte[] {(byte) (who * 10 + worker.claims() + 1)}, 0, Duration.ofDays(1)))
            : new StoreCommand.MarkInDoubt(ID, token);
    send(
        w,
        command,
        (next, reply) -> ended(next, who, reply, to),
        next -> to.accept(next.with(who, worker.at(Step.END_UNANSWERED))));
  }

  private void ended(World w, int who, StoreReply reply, Consumer<World> to) {
    Worker worker = w.workers().get(who);
    boolean ok = reply.code() == StoreReply.Code.OK || reply.code() == StoreReply.Code.OK_ABSENT;
    boolean doneThere = reply.record() != null && reply.record().settled();
    if (doneThere || (ok && worker.endDone())) {
      to.accept(journal(w, who, Row.DONE));
    } else if (policy == OnUnknown.HOLD) {
      to.accept(journal(w, who, Row.HELD));
    } else {
      // In doubt: the row stays started, and is taken up again as unknown.
      World next = w.with(who, new Worker(Step.IDLE, worker.claims(), false, false));
      Journal j = w.journal();
      to.accept(
          j.row() == Row.STARTED && j.owner() == who
              ? next.with(new Journal(Row.STARTED, who, true))
              : next);
    }
  }

  @FunctionalInterface
  private interface Answered {
    void with(World next, StoreReply reply);
  }

  /** Applies a command; its reply arrives, or is lost. */
  private void send(World w, StoreCommand command, Answered answered, Consumer<World> unanswered) {
    EffectTransitions.Result result = table.apply(w.record(), command, NOW);
    World next = result.changed() ? w.with(same(plain(result.next()))) : w;
    answered.with(next, result.reply());
    if (w.lost() > 0) {
      unanswered.accept(
          new World(
              next.record(),
              next.journal(),
              next.workers(),
              next.runs(),
              next.receipt(),
              w.crashes(),
              w.lost() - 1,
              w.losses()));
    }
  }

  private void crash(World w, int who) {
    Worker worker = w.workers().get(who);
    if (w.crashes() > 0 && worker.step() != Step.IDLE && worker.step() != Step.FINISHED) {
      World next = w.with(who, new Worker(Step.IDLE, worker.claims(), false, false));
      reach(
          w,
          new World(
              next.record(),
              next.journal(),
              next.workers(),
              w.runs(),
              w.receipt(),
              w.crashes() - 1,
              w.lost(),
              w.losses()),
          CRASHES.get(who).get(worker.step()));
    }
  }

  private void environment(World w) {
    EffectRecord r = w.record();
    if (r != null && r.state() == EffectRecord.State.CLAIMED && live(r)) {
      reach(
          w,
          w.with(same(r.with(r.state(), r.indexed, NOW / 1000 - 1, r.sinceMillis))),
          "the guard's lease ends");
    }
    Journal j = w.journal();
    if (j.row() == Row.STARTED && !j.leaseEnded()) {
      reach(w, w.with(new Journal(j.row(), j.owner(), true)), "the journal's lease ends");
    }
    if (w.losses() > 0 && r != null) {
      World next = w.with((EffectRecord) null);
      reach(
          w,
          new World(
              null,
              next.journal(),
              next.workers(),
              w.runs(),
              0,
              w.crashes(),
              w.lost(),
              w.losses() - 1),
          "the store loses its data");
    }
  }

  private EffectRecord same(EffectRecord record) {
    return record == null ? null : records.computeIfAbsent(record, r -> r);
  }

  private static boolean live(EffectRecord record) {
    return record.untilMillis > NOW / 1000;
  }

  /** Without what only grows: fences, attempts and times that decide nothing. */
  private static EffectRecord plain(EffectRecord r) {
    return r == null || !r.unsettled()
        ? r
        : EffectRecord.unsettled(
            r.state,
            r.doubtBefore,
            r.indexed,
            0,
            1,
            r.token,
            0,
            live(r) ? r.untilMillis : NOW / 1000 - 1,
            0,
            0,
            r.owner,
            r.key);
  }
}
