package io.idembox.inbox.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the README shows is what is compiled and run. */
final class ReadmeTest {
  private static final Path FOLDER = Path.of("src/test/java/io/idembox/inbox/example");

  @ParameterizedTest
  @CsvSource({
    "open,PlainLoopTest",
    "handler,PlainLoop",
    "loop,PlainLoop",
    "effects,PlainLoop",
  })
  void theReadmeShowsThisPartOfThePlainLoop(String part, String source) throws IOException {
    String readme = Files.readString(Path.of("README.md"));

    assertThat(readme)
        .contains(
            "```java\n" + part(Files.readString(FOLDER.resolve(source + ".java")), part) + "```\n");
  }

  /** Between its marks, without the indentation that it has in its class. */
  private static String part(String source, String part) {
    int mark = source.indexOf("// README: " + part + "\n");
    int from = source.indexOf('\n', mark) + 1;
    String text =
        source.substring(from, source.lastIndexOf('\n', source.indexOf("// README: end", from)));
    return text.stripTrailing().stripIndent().strip() + "\n";
  }
}
