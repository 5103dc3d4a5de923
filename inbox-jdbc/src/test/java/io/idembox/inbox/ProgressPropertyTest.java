package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * P2 and P3: done ranges and pruning, under several members, rewinds, members that start in the
 * middle, crashes between progress and offset, zombies that write after a cut, truncated logs, a
 * topic made again, and members that slept longer than the retention. Every message that is in the
 * topic at the end was handled once; one that vanished with a truncation or with its topic at most
 * once.
 */
final class ProgressPropertyTest {
  private static final int MEMBERS = 3;
  private static final Duration LONG = Duration.ofDays(15);

  private static OwnServer server;

  @BeforeContainer
  static void start() {
    server = new OwnServer();
  }

  @AfterContainer
  static void stop() {
    server.close();
  }

  enum Kind {
    APPEND,
    APPEND_COPY,
    FETCH,
    WORK,
    GROW,
    CATCH_UP,
    RESTART,
    REWIND,
    TRUNCATE,
    FREEZE_THROUGH_A_TRUNCATION,
    MAKE_AGAIN,
    TIME_PASSES,
    PRUNE
  }

  record Step(Kind kind, int member, int amount) {}

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            Tuple.of(6, Kind.APPEND),
            Tuple.of(4, Kind.APPEND_COPY),
            Tuple.of(5, Kind.FETCH),
            Tuple.of(5, Kind.WORK),
            Tuple.of(4, Kind.GROW),
            Tuple.of(6, Kind.CATCH_UP),
            Tuple.of(3, Kind.RESTART),
            Tuple.of(2, Kind.REWIND),
            Tuple.of(2, Kind.TRUNCATE),
            Tuple.of(2, Kind.FREEZE_THROUGH_A_TRUNCATION),
            Tuple.of(1, Kind.MAKE_AGAIN),
            Tuple.of(3, Kind.TIME_PASSES),
            Tuple.of(4, Kind.PRUNE));
    return Combinators.combine(
            kinds,
            Arbitraries.integers().between(0, MEMBERS - 1),
            Arbitraries.integers().between(1, 9))
        .as(Step::new)
        .list()
        .ofMinSize(30)
        .ofMaxSize(70);
  }

  @Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
  void everyMessageInTheTopicIsHandledOnce(@ForAll("histories") List<Step> history)
      throws Exception {
    server.execute(
        "truncate ledger, idembox.inbox, idembox.progress, idembox.pruning, idembox.dead_letter;"
            + " delete from idembox.topic where id > 100");
    TopicModel topic = new TopicModel();
    List<MemberModel> members = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      members.add(new MemberModel(server.open(), topic));
    }

    for (Step step : history) {
      run(step, topic, members);
    }
    MemberModel last = new MemberModel(server.open(), topic);
    last.drain();

    nothingWasHandledTwice(topic);
    String handled = text("select coalesce(string_agg(amount::text, ','), '') from ledger");
    List<String> labels = List.of(handled.split(","));
    for (TopicModel.Entry entry : topic.entries()) {
      assertThat(labels).as("message " + entry).contains(String.valueOf(entry.label()));
    }
  }

  private static void run(Step step, TopicModel topic, List<MemberModel> members) throws Exception {
    MemberModel member = members.get(step.member());
    switch (step.kind()) {
      case APPEND -> {
        for (int i = 0; i < step.amount(); i++) {
          topic.append((i + step.amount()) % 3 != 0);
        }
      }
      case APPEND_COPY -> topic.appendCopy(step.amount());
      case FETCH -> member.fetch(step.amount());
      case WORK -> member.work();
      case GROW -> member.grow();
      case CATCH_UP -> {
        member.fetch(100);
        member.work();
        member.grow();
      }
      case RESTART -> member.assign();
      case REWIND -> member.rewind();
      case TRUNCATE -> topic.truncate(Math.max(0, topic.size() - step.amount()));
      case FREEZE_THROUGH_A_TRUNCATION -> {
        member.fetch(100);
        int gone = Math.min(step.amount(), topic.size());
        topic.truncate(topic.size() - gone);
        for (int i = 0; i < gone; i++) {
          topic.append(i % 2 == 0);
        }
        MemberModel successor = members.get((step.member() + 1) % MEMBERS);
        successor.assign();
        successor.fetch(100);
        member.work();
        member.grow();
        successor.assign();
      }
      case MAKE_AGAIN -> {
        if (step.amount() < 3) {
          topic.makeAgain();
        }
      }
      case TIME_PASSES -> {
        topic.grewOld();
        members.forEach(one -> one.timePassed(LONG));
        server.execute(
            "update idembox.inbox set recorded_at = recorded_at - interval '"
                + LONG.toDays()
                + " days'; update idembox.progress set read_until = read_until - interval '"
                + LONG.toDays()
                + " days'");
      }
      case PRUNE -> prune(member);
    }
  }

  /** Two walks: what is done at the first may go in the second. */
  private static void prune(MemberModel member) {
    Pruner pruner = server.open().pruner(PrunePolicy.DEFAULT.withRoundInterval(Duration.ZERO));
    for (int walks = 0; walks < 2; ) {
      walks += pruner.slice(List.of(member.partition())).roundFinished() ? 1 : 0;
    }
  }

  private static String text(String sql) {
    return InboxFixture.text(server.pool, sql);
  }

  private static void nothingWasHandledTwice(TopicModel topic) {
    String twice =
        text(
            "select coalesce(string_agg(amount::text, ','), '') from"
                + " (select amount from ledger group by amount having count(*) > 1) twice");
    List<String> wrong = new ArrayList<>(List.of(twice.split(",")));
    topic.oldAndTruncated().forEach(label -> wrong.remove(String.valueOf(label)));
    wrong.remove("");
    assertThat(wrong).isEmpty();
  }
}
