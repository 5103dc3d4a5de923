package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.testkit.TestScope;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A pool whose connections the server has just ended starts a consumer all the same. */
class StaleConnectionsTest extends ConsumerTestBase {
  StaleConnectionsTest(TestScope scope) {
    super(scope);
  }

  @Test
  void aStartGetsPastThePoolsDeadConnections() throws Exception {
    endAllConnections();
    started(Orders::book);

    IntStream.range(0, 3).forEach(i -> orders.send(topic, i, "m" + i, "o" + i));
    orders.flush();

    awaitCommitted(3);
  }

  @Test
  void anErrorThatIsNoBrokenConnectionIsToldAtOnce() {
    AtomicInteger asked = new AtomicInteger();
    assertThatThrownBy(() -> StaleConnections.past(() -> failWith("28P01", asked)))
        .hasRootCauseInstanceOf(SQLException.class);
    assertThat(asked).hasValue(1);
  }

  private static Void failWith(String state, AtomicInteger asked) {
    asked.incrementAndGet();
    throw new IllegalStateException(new SQLException("no", state));
  }

  /** All that the pool holds, used a moment ago, so that it does not check them. */
  private void endAllConnections() throws SQLException {
    List<Connection> taken = new ArrayList<>();
    for (int i = 0; i < database.getMaximumPoolSize(); i++) {
      taken.add(database.getConnection());
    }
    try (Connection other = DriverManager.getConnection(database.getJdbcUrl());
        Statement statement = other.createStatement()) {
      statement.execute(
          "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '"
              + taken.get(0).getCatalog()
              + "' and pid <> pg_backend_pid()");
    }
    for (Connection connection : taken) {
      connection.close();
    }
  }
}
