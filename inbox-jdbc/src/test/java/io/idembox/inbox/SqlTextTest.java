package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.inbox.SqlText.Kind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which texts concern the transaction or the session, and which only look so. */
final class SqlTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into t values ('commit; rollback')",
        "select 1 -- ; commit",
        "select /* /* ; commit */ ; */ 1",
        "select $$ ; commit; $$, $tag$ ; rollback $tag$",
        "select E'it\\'s; commit'",
        "update \"commit\" set x = 1; select 2",
        "with begin as (select 1) select * from begin",
        "insert into t(start) values (1)",
        "select 'a''; commit'",
        "do $$ begin perform 1; end $$",
        "prepare p as select 1",
        ""
      })
  void plain(String sql) {
    assertThat(SqlText.of(sql).kind()).isEqualTo(Kind.PLAIN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "commit",
        "  COMMIT work",
        "-- x\ncommit",
        "/* x */ end",
        "abort",
        "begin",
        "start transaction read only",
        "rollback",
        "rollback and chain",
        "rollback prepared 'x'",
        "prepare transaction 'x'",
        "select 1;commit",
        "select ';'; ; rollback",
        "set transaction read only",
        "set session characteristics as transaction read only",
        "set transaction_isolation to serializable",
        "set local transaction_read_only = on"
      })
  void forbidden(String sql) {
    assertThat(SqlText.of(sql).kind()).isEqualTo(Kind.FORBIDDEN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "set search_path = x",
        "SET LOCAL statement_timeout = 1",
        "reset all",
        "set role bob",
        "set session authorization bob",
        "select Set_Config('a.b', 'c', false)"
      })
  void setting(String sql) {
    assertThat(SqlText.of(sql).kind()).isEqualTo(Kind.SETTING);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rollback to x",
        "rollback to savepoint X",
        "rollback work to x",
        "release x",
        "release savepoint \"x\""
      })
  void toSavepoint(String sql) {
    assertThat(SqlText.of(sql)).isEqualTo(new SqlText.Verdict(Kind.TO_SAVEPOINT, "x"));
  }
}
