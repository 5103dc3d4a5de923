package io.idembox.service;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Columns for people. Not thread-safe. */
final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  private Table(String... headings) {
    rows.add(List.of(headings));
  }

  static Table of(String... headings) {
    return new Table(headings);
  }

  Table row(@Nullable Object... cells) {
    rows.add(Arrays.stream(cells).map(Table::cell).toList());
    return this;
  }

  private static String cell(@Nullable Object value) {
    // Control characters of a key or an error must not move the cursor.
    return value == null ? "-" : value.toString().replaceAll("\\p{Cntrl}+", " ");
  }

  @Override
  public String toString() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
