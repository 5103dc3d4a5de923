package io.idembox.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Makes Jdbi handles on guarded connections, with one configuration for all of them. */
final class HandleFactory {
  private final Jdbi jdbi;

  /** Jdbi asks its factory for a connection without saying for whom; asked on the same thread. */
  private static final ThreadLocal<@Nullable Connection> OPENING = new ThreadLocal<>();

  HandleFactory(Consumer<Jdbi> configure) {
    this.jdbi = Jdbi.create(new Guarded());
    configure.accept(jdbi);
    jdbi.setTransactionHandler(new InboxTransactionHandler());
  }

  Handle open(Connection guarded) {
    OPENING.set(guarded);
    try {
      return jdbi.open();
    } finally {
      // Not removed: the next message of this thread would make the entry again.
      OPENING.set(null);
    }
  }

  private static final class Guarded implements ConnectionFactory {
    @Override
    public Connection openConnection() {
      Connection connection = OPENING.get();
      if (connection == null) {
        throw new ForbiddenCallException(
            "Jdbi.open",
            "this Jdbi belongs to the inbox; use the handle that the transaction gives");
      }
      return connection;
    }

    @Override
    public void closeConnection(Connection connection) throws SQLException {
      connection.close();
    }
  }
}
