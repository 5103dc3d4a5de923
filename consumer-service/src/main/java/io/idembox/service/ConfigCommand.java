package io.idembox.service;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the values in force, or what there is to set. */
@Command(
    name = "config",
    description = {
      "Checks the configuration and prints the values in force with where each comes from.",
      "Secrets are hidden."
    })
final class ConfigCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final CommonOptions common = new CommonOptions();

  @Option(
      names = "--explain",
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "WORD",
      description =
          "Print every key with meaning, unit, default and range; those that contain WORD.")
  private @Nullable String explain;

  @Option(
      names = "--markdown",
      hidden = true,
      description = "With --explain: the page of the docs.")
  private boolean markdown;

  ConfigCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    if (explain == null) {
      Settings settings = common.settings(console);
      common.print(
          console, ConfigurationPrinter.json(settings), ConfigurationPrinter.yaml(settings));
      return ExitCode.DONE;
    }
    if (markdown) {
      console.out().print(ConfigurationPage.markdown());
      return ExitCode.DONE;
    }
    String page = ConfigurationPage.explain(explain);
    if (page.isEmpty()) {
      console.err().println("error: no key contains '" + explain + "'");
      return ExitCode.NOT_POSSIBLE;
    }
    common.print(console, explained(explain), page);
    return ExitCode.DONE;
  }

  private static List<Map<String, String>> explained(String filter) {
    return Options.ALL.stream()
        .filter(option -> option.key().contains(filter))
        .map(
            option ->
                Map.of(
                    "key", option.key(),
                    "meaning", option.meaning(),
                    "default",
                        option.defaultText() == null ? option.derived() : option.defaultText(),
                    "range", option.type().range(),
                    "unit", option.type().unit(),
                    "variable", option.environmentVariable()))
        .toList();
  }
}
