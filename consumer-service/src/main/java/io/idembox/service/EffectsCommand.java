package io.idembox.service;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.EffectState;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Effects: what is owed, held, in doubt. */
@Command(
    name = "effects",
    description = "Looks at effects by their business keys, and decides about them.")
final class EffectsCommand extends GroupCommand {
  static CommandLine line(Console console) {
    return new CommandLine(new EffectsCommand())
        .addSubcommand(new ListEffects(console))
        .addSubcommand(new ShowEffect(console))
        .addSubcommand(new ResolveEffect(console))
        .addSubcommand(new ForgetEffect(console));
  }

  static Set<EffectState> states(@Nullable String text) {
    return States.named(text, EffectState.class, EffectActions.FOR_PEOPLE);
  }

  /** A key, as one names it. */
  private static final class KeyArguments {
    @Parameters(paramLabel = "OPERATION", index = "0", description = "Such as mail.invoice.")
    private String operation = "";

    @Parameters(
        paramLabel = "PART",
        index = "1..*",
        arity = "1..*",
        description = "The business id, in the parts that the key has.")
    private List<String> parts = List.of();

    @Option(names = "--tenant", description = "The key's tenant, if it has one.")
    private @Nullable String tenant;

    @Option(
        names = "--key-version",
        paramLabel = "N",
        defaultValue = "1",
        description = "The operation's version. Default: ${DEFAULT-VALUE}.")
    private int version;

    private EffectKey key() {
      return KeyView.key(operation, version, tenant, parts);
    }
  }

  @Command(
      name = "list",
      description = "Lists effects of the journal, or those in doubt in the guard.")
  private static final class ListEffects extends StoresCommand {
    @Option(
        names = "--state",
        paramLabel = "STATES",
        description =
            "pending, started, done, in-doubt, held, failed, rejected, with commas between them, or"
                + " all. Default: held,failed,in-doubt.")
    private @Nullable String state;

    @Option(names = "--guard", description = "Ask the guard for what is in doubt there.")
    private boolean guard;

    @Option(names = "--after", paramLabel = "ID", description = "Those after this journal id.")
    private long after;

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "100",
        description = "At most so many. Default: ${DEFAULT-VALUE}.")
    private int limit;

    private ListEffects(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) {
      EffectActions actions = new EffectActions(stores);
      List<EffectView> effects =
          guard ? actions.inDoubtInGuard() : actions.list(states(state), after, limit(limit));
      Table table = Table.of("KEY", "EFFECT", "STATE", "ATTEMPTS", "DUE", "SINCE", "LAST ERROR");
      for (EffectView effect : effects) {
        table.row(
            effect.key().text(),
            effect.effect(),
            effect.state(),
            effect.attempts(),
            effect.dueAt(),
            effect.createdAt(),
            effect.lastError());
      }
      print(effects, effects.isEmpty() ? "no effects" : table.toString());
      return ExitCode.DONE;
    }
  }

  @Command(name = "show", description = "Shows one effect, as journal and guard have it.")
  private static final class ShowEffect extends StoresCommand {
    @Mixin private final KeyArguments named = new KeyArguments();

    private ShowEffect(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) {
      EffectView effect = new EffectActions(stores).show(named.key());
      Table table = Table.of("key", effect.key().text());
      table.row("effect", effect.effect());
      table.row("state", effect.state());
      table.row("attempts", effect.attempts());
      table.row("earlier attempt unknown", effect.earlierAttemptUnknown());
      table.row("owner", effect.owner());
      table.row("due", effect.dueAt());
      table.row("asked for", effect.createdAt());
      table.row("settled", effect.settledAt());
      table.row("message id", effect.messageId());
      table.row("last error", effect.lastError());
      table.row("receipt", effect.receipt());
      EffectView.Guarded guarded = effect.guard();
      table.row(
          "guard",
          guarded == null
              ? "knows nothing"
              : guarded.state()
                  + " since "
                  + guarded.since()
                  + ", generation "
                  + guarded.generation());
      print(effect, table.toString());
      return ExitCode.DONE;
    }
  }

  private static String text(EffectActions.Decided decided) {
    String letters =
        decided.releasedLetters().isEmpty()
            ? ""
            : "\ndead letters that waited for it are open now, to be retried: "
                + decided.releasedLetters();
    return decided.key().text()
        + ": journal "
        + decided.journal()
        + ", guard "
        + (decided.guard() == null ? "not asked" : decided.guard())
        + letters;
  }

  @Command(
      name = "resolve",
      description = "Says whether an effect of unknown outcome, or one that is held, happened.")
  private static final class ResolveEffect extends StoresCommand {
    @Mixin private final KeyArguments named = new KeyArguments();

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Verdict verdict = new Verdict();

    private static final class Verdict {
      @Option(names = "--done", description = "It happened.")
      @SuppressWarnings("UnusedVariable") // One of the three is there; the other two are asked for.
      private boolean done;

      @Option(
          names = "--receipt",
          paramLabel = "JSON",
          description = "It happened, and this is its receipt, for later callers.")
      private @Nullable String receipt;

      @Option(names = "--not-done", description = "It did not happen: it is due again.")
      private boolean notDone;
    }

    @Option(names = "--why", description = "Kept with the decision.")
    private @Nullable String why;

    private ResolveEffect(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) {
      String by = user() + (why == null ? "" : ": " + why);
      EffectActions actions = new EffectActions(stores);
      EffectActions.Decided decided =
          audited(
              stores,
              "effects resolve " + (verdict.notDone ? "not done" : "done"),
              named.key().toString(),
              () ->
                  verdict.notDone
                      ? actions.resolveNotDone(named.key(), by)
                      : actions.resolveDone(named.key(), verdict.receipt, by));
      print(decided, text(decided));
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "forget",
      description = {
        "Lets an effect run again when it is asked for again, whatever became of it.",
        "It gets a new provider key: the provider takes it for another one."
      })
  private static final class ForgetEffect extends StoresCommand {
    @Mixin private final KeyArguments named = new KeyArguments();

    private ForgetEffect(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) {
      EffectActions.Decided decided =
          audited(
              stores,
              "effects forget",
              named.key().toString(),
              () -> new EffectActions(stores).forget(named.key()));
      print(decided, text(decided));
      return ExitCode.DONE;
    }
  }
}
