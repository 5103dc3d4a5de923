package io.idembox.inbox;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes that wait to be sent together. Arguments are bound at once, so that nothing but the
 * driver's own copy is kept, and a caller may change an array afterwards.
 */
final class WriteBuffer {
  /** A group is sent when it has this many rows: the driver keeps them all in memory until then. */
  private static final int LARGEST_GROUP = 4_096;

  private final Connection connection;

  /** One statement a text and transaction: parsed by the driver once, and closed together. */
  private final Map<String, Group> groups = new HashMap<>(4);

  /** Those with commuting writes that wait, in the order in which each text first came. */
  private final Map<String, Group> unordered = new LinkedHashMap<>(4);

  private @Nullable Group ordered;

  WriteBuffer(Connection connection) {
    this.connection = connection;
  }

  void enqueue(int message, String sql, @Nullable Object[] args) {
    Group group = ordered;
    if (group == null || !group.sql.equals(sql)) {
      if (group != null) {
        ordered = null;
        group.send();
      }
      group = group(sql);
      if (group.count > 0) {
        // The same text was enqueued as unordered too: what waits must not jump over its successor.
        unordered.remove(sql);
        group.send();
      }
      ordered = group;
    }
    group.add(message, args);
  }

  void enqueueUnordered(int message, String sql, @Nullable Object[] args) {
    Group group = group(sql);
    if (group != ordered) {
      unordered.put(sql, group);
    }
    group.add(message, args);
  }

  /** Sends what waits, the ordered ones first. */
  void flush() {
    Group last = ordered;
    if (last != null) {
      ordered = null;
      last.send();
    }
    if (!unordered.isEmpty()) {
      Group[] waiting = unordered.values().toArray(new Group[0]);
      unordered.clear();
      for (Group group : waiting) {
        group.send();
      }
    }
  }

  void close() {
    for (Group group : groups.values()) {
      group.close();
    }
    groups.clear();
  }

  private Group group(String sql) {
    Group group = groups.get(sql);
    if (group == null) {
      group = new Group(sql);
      groups.put(sql, group);
    }
    return group;
  }

  private final class Group {
    private final String sql;
    private final PreparedStatement statement;
    private int[] messages = new int[16];
    private int count;
    private int arity = -1;

    Group(String sql) {
      this.sql = sql;
      try {
        this.statement = connection.prepareStatement(sql);
      } catch (SQLException e) {
        throw new EnqueuedWriteException(sql, new int[0], SqlErrors.describe(e), e);
      }
    }

    void add(int message, @Nullable Object[] args) {
      // The driver keeps the values of the row before: a missing argument would be taken from it.
      if (arity >= 0 && args.length != arity) {
        throw new EnqueuedWriteException(
            sql,
            new int[] {message},
            "it has " + args.length + " arguments, and had " + arity + " before",
            new SQLException("Another number of arguments than before", "07001"));
      }
      arity = args.length;
      try {
        for (int i = 0; i < args.length; i++) {
          bind(i + 1, args[i]);
        }
        statement.addBatch();
      } catch (SQLException e) {
        throw new EnqueuedWriteException(sql, new int[] {message}, SqlErrors.describe(e), e);
      }
      if (count == messages.length) {
        messages = Arrays.copyOf(messages, count * 2);
      }
      messages[count++] = message;
      if (count == LARGEST_GROUP) {
        send();
      }
    }

    private void bind(int index, @Nullable Object arg) throws SQLException {
      if (arg instanceof Instant instant) {
        statement.setObject(index, instant.atOffset(ZoneOffset.UTC));
      } else if (arg instanceof byte[] bytes) {
        statement.setBytes(index, bytes.clone());
      } else {
        statement.setObject(index, arg);
      }
    }

    void send() {
      if (count == 0) {
        return;
      }
      int sent = count;
      count = 0;
      try {
        statement.executeBatch();
      } catch (BatchUpdateException e) {
        // The driver's own message quotes the arguments; the server's error behind it does not.
        SQLException server = e.getNextException();
        throw failed(server == null ? e : server, sent);
      } catch (SQLException e) {
        throw failed(e, sent);
      }
    }

    private EnqueuedWriteException failed(SQLException e, int sent) {
      int[] candidates = Arrays.stream(messages, 0, sent).distinct().toArray();
      return new EnqueuedWriteException(sql, candidates, SqlErrors.describe(e), e);
    }

    void close() {
      try {
        statement.close();
      } catch (SQLException ignored) {
        // The transaction is over; nothing depends on it.
      }
    }
  }
}
