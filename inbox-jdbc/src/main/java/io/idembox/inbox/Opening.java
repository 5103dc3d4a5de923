package io.idembox.inbox;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.BitSet;

/**
 * What a transaction begins with: the statement that decides which of its messages are to be
 * handled.
 */
interface Opening {
  /** A constant, made by {@link SessionSql#opening}. */
  String sql();

  InboxStatementException.Phase phase();

  /**
   * Binds the parameters of the statement.
   *
   * @return the parameter after the last
   */
  int bind(PreparedStatement statement, int parameter) throws SQLException;

  /** Reads its rows: indexes of the messages to be handled. */
  BitSet fresh(ResultSet rows) throws SQLException;
}
