package io.idembox.service;

import io.idembox.effect.RedisEffectStore;
import io.idembox.runtime.InboxConsumer;
import io.idembox.runtime.InboxConsumerBuilder;
import io.idembox.runtime.ReplayPlan;
import io.idembox.runtime.ReplayRange;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Reads a topic again, beside the live group. */
@Command(
    name = "replay",
    description = {
      "Reads records again under the consumer's own name, also while it runs: what is done is"
          + " skipped, what is missing is handled.",
      "Beside a live group it ends at what the group has committed. Ctrl-C finishes what runs and"
          + " says where to go on. Without options it reads all topics of the subscriptions from"
          + " their beginning."
    })
final class ReplayCommand extends StoresCommand {
  @Option(names = "--topic", description = "Only this topic.")
  private @Nullable String topic;

  @Option(
      names = "--partition",
      paramLabel = "N",
      description = "Only this partition of the topic.")
  private @Nullable Integer partition;

  @Option(names = "--from-offset", paramLabel = "OFFSET", description = "The first offset.")
  private @Nullable Long fromOffset;

  @Option(names = "--to-offset", paramLabel = "OFFSET", description = "The offset behind the last.")
  private @Nullable Long toOffset;

  @Option(
      names = "--from-time",
      paramLabel = "TIME",
      description =
          "From the first record that is not older, such as 2026-11-30T06:00:00Z. Partitions"
              + " without one start at their end.")
  private @Nullable String fromTime;

  @Option(
      names = "--to-time",
      paramLabel = "TIME",
      description = "Up to the first record that is not older.")
  private @Nullable String toTime;

  @Option(
      names = "--dry-run",
      description = "Only count what is done, missing and dead. Nothing is handled.")
  private boolean dryRun;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description = "At most so many records a second, all partitions together. Default: no limit.")
  private double rate;

  @Option(
      names = "--accept-resolver-change",
      description =
          "Take over other rules for message ids than the consumer was registered with, such as"
              + " copy-of for a copied topic; also by a dry run. A live group starts with these"
              + " rules alone from then on.")
  private boolean acceptResolverChange;

  ReplayCommand(Console console) {
    super(console);
  }

  @Override
  int run(Stores stores) throws InterruptedException {
    if (rate < 0) {
      throw new IllegalArgumentException("--rate must not be negative: 0 is no limit");
    }
    ReplayRanges choice = new ReplayRanges(new KafkaView(stores));
    List<ReplayRange> ranges =
        choice.of(
            new ReplayRanges.Wanted(
                topic,
                partition,
                fromOffset,
                toOffset,
                fromTime == null ? null : RewindCommand.millis(fromTime),
                toTime == null ? null : RewindCommand.millis(toTime)));
    ReplayPlan plan = new ReplayPlan(ranges, dryRun, rate);
    Settings settings = stores.settings();
    try (PostgresPool.Pool pool = PostgresPool.forInbox(settings, PostgresPool.size(settings));
        Plugins plugins = Plugins.of(settings, new SimpleMeterRegistry())) {
      InboxConsumerBuilder builder =
          new ConsumerAssembly(settings, plugins)
              .builder(pool.dataSource(), new SimpleMeterRegistry());
      RedisEffectStore store = stores.store().orElse(null);
      if (store != null) {
        RedisStores.refuseErrors(store);
        builder.effectStore(store);
      }
      if (acceptResolverChange) {
        builder.acceptResolverChange();
      }
      InboxConsumer consumer = Service.built(settings, builder);
      InterruptibleReplay interruptible = new InterruptibleReplay(console(), settings);
      ReplayAnswer answer =
          recorded(
              stores,
              plan,
              () ->
                  ReplayAnswer.of(interruptible.run(consumer.replay(plan), plan), choice.notes()));
      print(answer, answer.text(null));
      interruptible.reported();
      if (answer.cancelled()) {
        return ExitCode.INTERRUPTED;
      }
      return answer.dead() > 0 && !dryRun ? ExitCode.BAD_NEWS : ExitCode.DONE;
    }
  }

  /** A dry run changes nothing, unless it takes over other rules. */
  private ReplayAnswer recorded(
      Stores stores, ReplayPlan plan, Audit.Change<ReplayAnswer, InterruptedException> replay)
      throws InterruptedException {
    if (dryRun && !acceptResolverChange) {
      return replay.make();
    }
    // Says more about a database that cannot be used than the audit could.
    stores.database().check();
    String target =
        ReplayAnswer.planned(plan.ranges())
            + (dryRun ? " --dry-run" : "")
            + (acceptResolverChange ? " --accept-resolver-change" : "");
    return audit(stores).record("replay", target, replay, ReplayAnswer::outcome);
  }
}
