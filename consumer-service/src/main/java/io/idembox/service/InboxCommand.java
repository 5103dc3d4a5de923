package io.idembox.service;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The inbox itself. */
@Command(
    name = "inbox",
    description = "Looks at the inbox, removes what may be forgotten, forgets on purpose.")
final class InboxCommand extends GroupCommand {
  static CommandLine line(Console console) {
    return new CommandLine(new InboxCommand())
        .addSubcommand(new Stats(console))
        .addSubcommand(new Prune(console))
        .addSubcommand(new Forget(console));
  }

  private static String outcome(InboxActions.Pruned pruned) {
    return "%d inbox rows, %d effects and %d dead letters"
        .formatted(pruned.inboxRows(), pruned.effects(), pruned.letters());
  }

  @Command(name = "stats", description = "Says how large inbox and journal are.")
  private static final class Stats extends StoresCommand {
    private Stats(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) {
      InboxActions.Stats stats = new InboxActions(stores).stats();
      Table table = Table.of("TABLE", "ROWS (ABOUT)", "BYTES", "BYTES A ROW");
      table.row("inbox", stats.rows(), stats.inboxBytes(), stats.bytesPerRow());
      table.row("effect journal", stats.journalRows(), stats.journalBytes(), null);
      table.row("dead letters", stats.letterRows(), null, null);
      table.row("progress", stats.progressRows(), null, null);
      print(stats, table.toString());
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "prune",
      description = {
        "Removes inbox rows past inbox.retention, finished effects past theirs, closed dead"
            + " letters.",
        "The running consumer does so by itself; a row goes only when it was done one walk earlier."
      })
  private static final class Prune extends StoresCommand {
    private Prune(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) {
      InboxActions.Pruned pruned =
          audit(stores)
              .record(
                  "inbox prune",
                  "what is past its retention",
                  () -> new InboxActions(stores).prune(),
                  InboxCommand::outcome);
      print(
          pruned,
          pruned.anotherMemberPrunes()
              ? "another member prunes at this moment"
              : InboxCommand.outcome(pruned) + " removed");
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "forget",
      description = {
        "Forgets what was done in a range of offsets.",
        "When their records come again, after a rewind or by a replay, handlers run again. Effects"
            + " do not: they are known by their own keys."
      })
  private static final class Forget extends StoresCommand {
    @Option(names = "--topic", required = true)
    private String topic = "";

    @Option(names = "--partition", required = true)
    private int partition;

    @Option(
        names = "--from",
        required = true,
        paramLabel = "OFFSET",
        description = "The first offset.")
    private long from;

    @Option(
        names = "--to",
        required = true,
        paramLabel = "OFFSET",
        description = "The offset behind the last.")
    private long to;

    private Forget(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) {
      if (from < 0 || to <= from) {
        throw new IllegalArgumentException(
            "--from must not be negative, and --to must be behind it: " + from + " to " + to);
      }
      InboxActions.Forgotten forgotten =
          audited(
              stores,
              "inbox forget",
              topic + "-" + partition + " " + from + ".." + to,
              () -> new InboxActions(stores).forget(topic, partition, from, to));
      print(
          forgotten,
          forgotten.messages()
              + (forgotten.messages() == 1 ? " message" : " messages")
              + " forgotten");
      return ExitCode.DONE;
    }
  }
}
