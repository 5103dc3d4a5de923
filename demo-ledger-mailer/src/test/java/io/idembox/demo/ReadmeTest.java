package io.idembox.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The README shows code that the build compiles. */
class ReadmeTest {
  private static final Path ROOT = Path.of("..");

  // A comment names the file; the block below it stands in that file word for word.
  private static final Pattern BLOCK =
      Pattern.compile("(?s)<!-- from (\\S+) -->\\n```java\\n(.*?)```");

  @Test
  void eachJavaBlockStandsInTheFileThatItNames() throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    List<MatchResult> blocks = BLOCK.matcher(readme).results().toList();

    assertThat(blocks).hasSizeGreaterThanOrEqualTo(2);
    assertThat(readme.split("```java", -1)).as("blocks without a file").hasSize(blocks.size() + 1);
    for (MatchResult block : blocks) {
      String source = Files.readString(ROOT.resolve(block.group(1)));
      assertThat(unindented(source)).as(block.group(1)).contains(unindented(block.group(2)));
    }
  }

  private static String unindented(String code) {
    return code.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }
}
