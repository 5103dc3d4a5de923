package io.idembox.service;

import io.idembox.effect.RedisEffectStore;
import io.idembox.inbox.RegisteredConsumer;
import io.idembox.inbox.RegistrationException;
import io.idembox.runtime.ConsumerException;
import io.idembox.runtime.InboxConsumerBuilder;
import io.idembox.runtime.Replay;
import io.idembox.runtime.ReplayPlan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Builds the rows of a consumer anew, under another name. */
@Command(
    name = "rebuild",
    description = {
      "Runs the handlers of this configuration for all records again, under a new consumer name, to"
          + " build their rows anew.",
      "What the other consumer has done has no effect a second time, however old it is: intents are"
          + " written as finished, and once gives a kept receipt or what the effect says for a"
          + " rebuild, else the record becomes a dead letter that names the key. Ctrl-C finishes"
          + " what runs; run again, it goes on where it stopped. The name stays bound to the other:"
          + " a later run under it keeps to the same."
    })
final class RebuildCommand extends StoresCommand {
  @Option(
      names = "--as",
      required = true,
      paramLabel = "NAME",
      description =
          "The new consumer name. It is its group's name too, unless it is consumer.name.")
  private String as = "";

  @Option(
      names = "--of",
      required = true,
      paramLabel = "OLD",
      description = "The consumer whose rows are built anew.")
  private String of = "";

  @Option(names = "--topic", description = "Only this topic.")
  private @Nullable String topic;

  @Option(
      names = "--dry-run",
      description = "Only count what would be handled, and what of it the other consumer has done.")
  private boolean dryRun;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description = "At most so many records a second, all partitions together. Default: no limit.")
  private double rate;

  RebuildCommand(Console console) {
    super(console);
  }

  @Override
  int run(Stores stores) throws InterruptedException {
    Settings settings = stores.settings();
    if (rate < 0) {
      throw new IllegalArgumentException("--rate must not be negative: 0 is no limit");
    }
    if (as.isBlank() || as.equals(of)) {
      throw new IllegalArgumentException("--as must be another name than --of");
    }
    stores.database().check();
    RegisteredConsumer old =
        stores
            .database()
            .find(of)
            .orElseThrow(
                () ->
                    new NotPossibleException(
                        "consumer "
                            + of
                            + " has never run on this database; --of names one that has"));
    String group = as.equals(settings.get(Options.NAME)) ? ConsumerAssembly.groupId(settings) : as;
    ReplayRanges choice = new ReplayRanges(new KafkaView(stores, old.groupId()));
    ReplayPlan plan =
        new ReplayPlan(
            choice.of(new ReplayRanges.Wanted(topic, null, null, null, null, null)), dryRun, rate);
    try (PostgresPool.Pool pool = PostgresPool.forInbox(settings, PostgresPool.size(settings));
        Plugins plugins = Plugins.of(settings, new SimpleMeterRegistry())) {
      InboxConsumerBuilder builder =
          new ConsumerAssembly(settings, plugins)
              .builder(pool.dataSource(), new SimpleMeterRegistry())
              .name(as)
              .groupId(group);
      RedisEffectStore store = stores.store().orElse(null);
      if (store != null) {
        RedisStores.refuseErrors(store);
        builder.effectStore(store);
      }
      InterruptibleReplay interruptible = new InterruptibleReplay(console(), settings);
      Audit.Change<ReplayAnswer, InterruptedException> rebuild =
          () ->
              rebuilt(
                  interruptible, Service.built(settings, builder).rebuild(of, plan), plan, choice);
      ReplayAnswer answer =
          dryRun
              ? rebuild.make()
              : audit(stores)
                  .record(
                      "rebuild",
                      "as " + as + " of " + of + ": " + ReplayAnswer.planned(plan.ranges()),
                      rebuild,
                      ReplayAnswer::outcome);
      String again =
          "idembox rebuild --as %s --of %s%s"
              .formatted(as, of, topic == null ? "" : " --topic " + topic);
      print(answer, answer.text(again));
      interruptible.reported();
      if (answer.cancelled()) {
        return ExitCode.INTERRUPTED;
      }
      return answer.dead() > 0 && !dryRun ? ExitCode.BAD_NEWS : ExitCode.DONE;
    }
  }

  private static ReplayAnswer rebuilt(
      InterruptibleReplay interruptible, Replay replay, ReplayPlan plan, ReplayRanges choice)
      throws InterruptedException {
    try {
      return ReplayAnswer.of(interruptible.run(replay, plan), choice.notes());
    } catch (ConsumerException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof RegistrationException) {
          // No server's refusal: one of the two names does not allow it.
          throw new NotPossibleException(String.valueOf(cause.getMessage()));
        }
      }
      throw e;
    }
  }
}
