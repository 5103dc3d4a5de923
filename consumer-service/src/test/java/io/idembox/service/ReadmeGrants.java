package io.idembox.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rights that the README says suffice, so that what it says is what is tested. */
final class ReadmeGrants {
  private static final Pattern BLOCK =
      Pattern.compile("## Rights\n.*?```sql\n(.*?)```", Pattern.DOTALL);

  private ReadmeGrants() {}

  /** The statements, for a role that the README calls billing. */
  static String to(String role) {
    return block().replaceAll("\\bto billing\\b", "to " + role);
  }

  /** The statements one by one. */
  static List<String> each(String role) {
    return to(role).lines().map(line -> line.replaceAll(";.*", "")).toList();
  }

  private static String block() {
    try {
      Matcher block = BLOCK.matcher(Files.readString(Path.of("README.md")));
      if (!block.find()) {
        throw new AssertionError("the README names no grants");
      }
      return block.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
