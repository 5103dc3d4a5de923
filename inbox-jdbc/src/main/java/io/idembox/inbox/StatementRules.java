package io.idembox.inbox;

import io.idembox.inbox.SqlText.Verdict;
import java.sql.SQLException;
import java.util.Locale;

/** What SQL text a handler may send, and what is done before and after it runs. */
final class StatementRules {
  private StatementRules() {}

  /** When a statement is prepared. */
  static void check(TransactionScope scope, String sql) {
    Verdict verdict = SqlText.of(sql);
    if (verdict.kind() == SqlText.Kind.FORBIDDEN) {
      throw scope.refuse(
          "SQL " + verdict.word().toUpperCase(Locale.ROOT),
          "the inbox ends the transaction: return to commit it, throw to roll it back");
    }
  }

  /** Right before it runs: what was enqueued goes first. */
  static void before(TransactionScope scope, TransactionView view, String sql) throws SQLException {
    check(scope, sql);
    Verdict verdict = SqlText.of(sql);
    if (verdict.kind() == SqlText.Kind.TO_SAVEPOINT
        && !view.savepoints().contains(verdict.word())) {
      throw scope.refuse(
          "SQL to savepoint " + verdict.word(),
          "the savepoint was not set by this message; it would undo another one's writes");
    }
    scope.flush();
    if (verdict.kind() == SqlText.Kind.SETTING) {
      scope.changesSettings();
    }
  }

  static void after(TransactionScope scope, TransactionView view, String sql) {
    Verdict verdict = SqlText.of(sql);
    if (verdict.kind() == SqlText.Kind.SAVEPOINT) {
      view.savepoints().add(verdict.word());
    } else if (verdict.kind() == SqlText.Kind.TO_SAVEPOINT) {
      scope.healed();
    }
  }
}
