package io.idembox.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.inbox.DeadLetterState;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Dead letters: records that were given up. */
@Command(
    name = "dead-letters",
    description = "Looks at records that were given up, and decides about them.")
final class DeadLettersCommand extends GroupCommand {
  static CommandLine line(Console console) {
    return new CommandLine(new DeadLettersCommand())
        .addSubcommand(new ListLetters(console))
        .addSubcommand(new ShowLetter(console))
        .addSubcommand(new RetryLetters(console))
        .addSubcommand(new DiscardLetters(console))
        .addSubcommand(new ExportLetters(console));
  }

  /** States by their names, for options. */
  static Set<DeadLetterState> states(@Nullable String text) {
    return States.named(text, DeadLetterState.class, LetterOperations.WAITING);
  }

  static String table(List<LetterView> letters) {
    Table table =
        Table.of("ID", "STATE", "RECORD", "REASON", "CAUSE", "ATTEMPTS", "TRIPS", "SINCE");
    for (LetterView letter : letters) {
      table.row(
          letter.id(),
          letter.state(),
          letter.topic() + "-" + letter.partition() + "@" + letter.offset(),
          letter.reason(),
          letter.causeClass().replaceAll(".*\\.", ""),
          letter.attempts(),
          letter.trips(),
          letter.createdAt());
    }
    return letters.isEmpty() ? "no dead letters" : table.toString();
  }

  @Command(name = "list", description = "Lists dead letters without their content.")
  private static final class ListLetters extends StoresCommand {
    @Option(
        names = "--state",
        paramLabel = "STATES",
        description =
            "open, held, retried, discarded, with commas between them, or all. Default: open,held.")
    private @Nullable String state;

    @Option(names = "--after", paramLabel = "ID", description = "Those after this id.")
    private long after;

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "100",
        description = "At most so many. Default: ${DEFAULT-VALUE}.")
    private int limit;

    private ListLetters(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) {
      List<LetterView> letters =
          new LetterOperations(stores).list(states(state), after, limit(limit));
      print(letters, table(letters));
      return ExitCode.DONE;
    }
  }

  @Command(name = "show", description = "Shows one dead letter with its record and its error.")
  private static final class ShowLetter extends StoresCommand {
    @Parameters(paramLabel = "ID")
    private long id;

    private ShowLetter(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) {
      LetterView letter = new LetterOperations(stores).show(id);
      print(letter, text(letter));
      return ExitCode.DONE;
    }

    private static String text(LetterView letter) {
      Table table = Table.of("letter", String.valueOf(letter.id()));
      table.row("state", letter.state());
      table.row("record", letter.topic() + "-" + letter.partition() + "@" + letter.offset());
      table.row("message id", letter.messageId());
      table.row("reason", letter.reason());
      table.row("cause", letter.causeClass() + ": " + letter.causeMessage());
      table.row("attempts", letter.attempts());
      table.row("trips", letter.trips());
      table.row("since", letter.createdAt());
      table.row("updated", letter.updatedAt());
      table.row("closed", letter.closedAt());
      LetterView.Content content = letter.content();
      if (content == null) {
        return table.toString();
      }
      table.row("timestamp", content.timestamp());
      table.row("key", content.key());
      content.headers().forEach(header -> table.row("header " + header.name(), header.value()));
      table.row("value", content.value());
      return table + "\n" + content.error();
    }
  }

  @Command(
      name = "retry",
      description = {
        "Handles the records of open dead letters again, in the running service, where their"
            + " handlers are.",
        "A letter is closed in the transaction of its handler; one that fails again stays open."
      })
  private static final class RetryLetters extends StoresCommand {
    private static final int PAGE = 500;

    @Parameters(paramLabel = "ID", arity = "0..*")
    private List<Long> ids = List.of();

    @Option(names = "--all", description = "All that are open.")
    private boolean all;

    @Option(
        names = "--url",
        description = "Where the service is, if not at http.host and http.port.")
    private @Nullable String url;

    private RetryLetters(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) throws InterruptedException {
      if (all == !ids.isEmpty()) {
        throw new IllegalArgumentException(
            "name the letters by their ids, or all of them by --all");
      }
      ApiClient service = ApiClient.of(stores.settings(), url, user());
      List<Retried> results = new ArrayList<>();
      for (long id : all ? open(stores) : ids) {
        results.add(retry(service, id));
      }
      Table table = Table.of("ID", "RESULT");
      results.forEach(one -> table.row(one.id(), one.text()));
      print(results, results.isEmpty() ? "no open dead letters" : table.toString());
      if (results.stream().anyMatch(one -> one.refused() != null)) {
        return ExitCode.NOT_POSSIBLE;
      }
      return results.stream().allMatch(Retried::handled) ? ExitCode.DONE : ExitCode.BAD_NEWS;
    }

    private static Retried retry(ApiClient service, long id) throws InterruptedException {
      try {
        JsonNode result = service.post("/api/dead-letters/" + id + "/retry", "{}");
        boolean handled = result.path("handled").asBoolean();
        return new Retried(id, handled, handled ? null : result.path("failure").asText(), null);
      } catch (NotPossibleException e) {
        // Those before it are retried, and those behind it will be: each gets its answer.
        return new Retried(id, false, null, e.getMessage());
      }
    }

    /**
     * What came of one.
     *
     * @param failure the class of the failure, if it failed again
     * @param refused why it was not retried at all
     */
    private record Retried(
        long id, boolean handled, @Nullable String failure, @Nullable String refused) {
      private String text() {
        return handled ? "handled" : refused != null ? refused : "failed again: " + failure;
      }
    }

    /** All ids first: what fails again stays open, and must not be met again. */
    private static List<Long> open(Stores stores) {
      LetterOperations letters = new LetterOperations(stores);
      List<Long> open = new ArrayList<>();
      List<LetterView> page;
      do {
        page =
            letters.list(
                EnumSet.of(DeadLetterState.OPEN),
                open.isEmpty() ? 0 : open.get(open.size() - 1),
                PAGE);
        page.forEach(letter -> open.add(letter.id()));
      } while (!page.isEmpty());
      return open;
    }
  }

  @Command(
      name = "discard",
      description = "Gives dead letters up for good. Their messages count as handled.")
  private static final class DiscardLetters extends StoresCommand {
    @Parameters(paramLabel = "ID", arity = "1..*")
    private List<Long> ids = List.of();

    @Option(names = "--why", required = true, description = "Kept with the letters.")
    private String why = "";

    private DiscardLetters(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) {
      List<LetterOperations.Decided> decided =
          audit(stores)
              .record(
                  "dead-letters discard",
                  ids + ": " + why,
                  () -> new LetterOperations(stores).discard(ids, user() + ": " + why),
                  DiscardLetters::outcome);
      Table table = Table.of("ID", "RESULT");
      decided.forEach(one -> table.row(one.id(), one.detail()));
      print(decided, table.toString());
      return decided.stream().allMatch(LetterOperations.Decided::done)
          ? ExitCode.DONE
          : ExitCode.NOT_POSSIBLE;
    }

    private static String outcome(List<LetterOperations.Decided> decided) {
      return decided.stream().allMatch(LetterOperations.Decided::done)
          ? "done"
          : decided.stream()
              .filter(one -> !one.done())
              .map(one -> one.id() + " " + one.detail())
              .collect(Collectors.joining(", ", "refused: ", ""));
    }
  }

  @Command(
      name = "export",
      description = {
        "Writes dead letters with their content, one JSON object a line.",
        "Bytes that are not UTF-8 are in Base64."
      })
  private static final class ExportLetters extends StoresCommand {
    @Option(
        names = "--state",
        paramLabel = "STATES",
        description = "As of list. Default: open,held.")
    private @Nullable String state;

    @Option(
        names = {"-o", "--out"},
        paramLabel = "FILE",
        description = "The file; it must not exist yet. Default: standard output.")
    private @Nullable Path out;

    private ExportLetters(Console console) {
      super(console);
    }

    @Override
    int run(Stores stores) throws IOException {
      if (out == null) {
        new LetterOperations(stores).export(states(state), letter -> line(console().out(), letter));
        return ExitCode.DONE;
      }
      if (Files.exists(out)) {
        throw new NotPossibleException(out + " exists already");
      }
      try (PrintStream file = file(out)) {
        long letters =
            new LetterOperations(stores).export(states(state), letter -> line(file, letter));
        if (file.checkError()) {
          throw new IOException(out + " could not be written");
        }
        print(Map.of("letters", letters, "file", out.toString()), letters + " letters in " + out);
      }
      return ExitCode.DONE;
    }

    private static PrintStream file(Path out) {
      try {
        return new PrintStream(out.toFile(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new NotPossibleException(
            out + " cannot be written: is its folder there, and yours to write?");
      }
    }

    private static void line(PrintStream to, LetterView letter) {
      try {
        to.println(Json.MAPPER.writeValueAsString(letter));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("A letter cannot be written as JSON", e);
      }
    }
  }
}
