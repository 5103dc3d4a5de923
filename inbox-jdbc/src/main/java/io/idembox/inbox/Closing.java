package io.idembox.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;

/**
 * Statements of the inbox that belong into a transaction, after the handler and right before the
 * commit.
 */
@FunctionalInterface
interface Closing {
  /** Nothing more. */
  Closing NONE = (connection, session, fresh) -> {};

  /**
   * Runs them; whoever does anything here calls {@link InboxSession#takeBackTimeouts} first.
   *
   * @param fresh the messages that were handled
   */
  void close(Connection connection, InboxSession session, BitSet fresh) throws SQLException;
}
