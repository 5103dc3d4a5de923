package io.idembox.inbox;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks at the SQL that a handler sends for the few statements that concern the transaction or the
 * session. Only leading words are read: what a function does on the server stays its own.
 */
final class SqlText {
  /** Texts are constants as a rule; those with literals inside must not fill the memory. */
  private static final int REMEMBERED = 1_000;

  private static final int LONGEST_REMEMBERED = 2_000;
  private static final Map<String, Verdict> known = new ConcurrentHashMap<>();

  /** These end or begin a transaction, or hand it to somebody else. */
  private static final Set<String> ENDING =
      Set.of("commit", "end", "abort", "begin", "start", "prepare transaction");

  private static final Set<String> SESSION = Set.of("reset", "discard");

  private SqlText() {}

  /** What a statement means for the transaction. */
  enum Kind {
    /** Nothing. */
    PLAIN,
    /** Changes session settings, which are put back afterwards. */
    SETTING,
    /** Sets a savepoint. */
    SAVEPOINT,
    /** Rolls back to a savepoint, or releases one. */
    TO_SAVEPOINT,
    /** Belongs to the inbox. */
    FORBIDDEN
  }

  /**
   * The gravest statement of a text.
   *
   * @param word for the error message: the leading words, or the savepoint's name
   */
  record Verdict(Kind kind, String word) {
    static final Verdict PLAIN = new Verdict(Kind.PLAIN, "");
  }

  static Verdict of(String sql) {
    Verdict verdict = known.get(sql);
    if (verdict == null) {
      verdict = read(sql);
      if (known.size() < REMEMBERED && sql.length() <= LONGEST_REMEMBERED) {
        known.put(sql, verdict);
      }
    }
    return verdict;
  }

  private static Verdict read(String sql) {
    Verdict gravest = Verdict.PLAIN;
    SqlWords words = new SqlWords(sql);
    while (words.nextStatement()) {
      Verdict verdict = judge(words.word(0), words.word(1), words.word(2), words.word(3));
      if (verdict.kind().compareTo(gravest.kind()) > 0) {
        gravest = verdict;
      }
    }
    boolean setsByFunction =
        gravest.kind() == Kind.PLAIN && sql.toLowerCase(Locale.ROOT).contains("set_config");
    return setsByFunction ? new Verdict(Kind.SETTING, "set_config") : gravest;
  }

  private static Verdict judge(String first, String second, String third, String fourth) {
    if (ENDING.contains(first) || ENDING.contains(first + " " + second)) {
      return new Verdict(Kind.FORBIDDEN, first);
    }
    return switch (first) {
      case "rollback" -> rollback(second, third, fourth);
      case "savepoint" -> new Verdict(Kind.SAVEPOINT, second);
      case "release" -> new Verdict(Kind.TO_SAVEPOINT, second.equals("savepoint") ? third : second);
      case "set" -> set(second, third);
      default -> SESSION.contains(first) ? new Verdict(Kind.SETTING, first) : Verdict.PLAIN;
    };
  }

  private static Verdict set(String second, String third) {
    boolean filler = second.equals("local") || second.equals("session");
    String name = filler ? third : second;
    boolean characteristics =
        name.equals("transaction")
            || name.equals("characteristics")
            || name.equals("transaction_isolation")
            || name.equals("transaction_read_only");
    return characteristics
        ? new Verdict(Kind.FORBIDDEN, "set " + name)
        : new Verdict(Kind.SETTING, "set");
  }

  /** ROLLBACK [WORK | TRANSACTION] TO [SAVEPOINT] name, or a rollback of everything. */
  private static Verdict rollback(String second, String third, String fourth) {
    boolean filler = second.equals("work") || second.equals("transaction");
    String to = filler ? third : second;
    if (!to.equals("to")) {
      return new Verdict(
          Kind.FORBIDDEN, second.equals("prepared") ? "rollback prepared" : "rollback");
    }
    String next = filler ? fourth : third;
    if (next.equals("savepoint")) {
      // With all fillers the name is the fifth word; nobody writes that, and refusing it is safe.
      return filler
          ? new Verdict(Kind.FORBIDDEN, "rollback")
          : new Verdict(Kind.TO_SAVEPOINT, fourth);
    }
    return new Verdict(Kind.TO_SAVEPOINT, next);
  }
}
