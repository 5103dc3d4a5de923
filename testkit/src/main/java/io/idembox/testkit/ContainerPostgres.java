package io.idembox.testkit;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/** PostgreSQL in a container. */
final class ContainerPostgres implements PostgresBackend {
  private static final DockerImageName IMAGE = DockerImageName.parse("postgres:18");
  private static final int PORT_INSIDE = 5432;
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final PostgreSQLContainer container = new PostgreSQLContainer(IMAGE);
  private final int port;

  ContainerPostgres(
      String user, @Nullable String password, int port, Map<String, String> settings) {
    Containers.requireDocker("PostgreSQL");
    this.port = port;
    container
        .withDatabaseName("postgres")
        .withUsername(user)
        .withPassword(password == null ? user : password);
    container.withEnv("POSTGRES_INITDB_ARGS", "--locale=C --encoding=UTF8");
    if (password == null) {
      container.withEnv("POSTGRES_HOST_AUTH_METHOD", "trust");
    }
    List<String> command = new ArrayList<>(List.of("postgres"));
    settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    container.withCommand(command.toArray(String[]::new));
    Containers.startOn(port, PORT_INSIDE, container, "PostgreSQL");
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public Path dataDirectory() {
    throw new UnsupportedOperationException(
        "The data directory of PostgreSQL is inside a container");
  }

  @Override
  public void stop() {
    Containers.stop(container);
  }

  @Override
  public void kill() {
    Containers.kill(container);
  }

  @Override
  public void start() {
    Containers.startAgain(container);
    if (!Pause.until(START_LIMIT, this::answers)) {
      throw new ServerStartException("PostgreSQL in a container does not answer on port " + port);
    }
  }

  private boolean answers() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(new String[] {"127.0.0.1"});
    source.setPortNumbers(new int[] {port});
    source.setDatabaseName("postgres");
    source.setUser(container.getUsername());
    source.setPassword(container.getPassword());
    try (Connection connection = source.getConnection()) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public void close() {
    container.stop();
  }
}
