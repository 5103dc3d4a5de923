package io.idembox.testkit;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** Redis in a container. */
final class ContainerRedis implements RedisBackend {
  private static final DockerImageName RECENT = DockerImageName.parse("redis:7.4");
  private static final DockerImageName OLD = DockerImageName.parse("redis:6.2");
  private static final int PORT_INSIDE = 6379;
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final GenericContainer<?> container;
  private final int port;

  ContainerRedis(RedisSettings settings) {
    Containers.requireDocker("Redis");
    if (settings.dataFolder() != null) {
      throw new ServerStartException(
          "Redis did not start: a data folder of one's own is not for containers");
    }
    this.port = settings.port();
    List<String> command = new ArrayList<>(List.of("redis-server"));
    command.addAll(settings.arguments());
    container = new GenericContainer<>(settings.bundled() ? OLD : RECENT);
    container.withExposedPorts(PORT_INSIDE).withCommand(command.toArray(String[]::new));
    Containers.startOn(port, PORT_INSIDE, container, "Redis");
  }

  @Override
  public int port() {
    return port;
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
      throw new ServerStartException("Redis in a container does not answer on port " + port);
    }
  }

  private boolean answers() {
    try (RespConnection connection = new RespConnection("127.0.0.1", port)) {
      return connection.command("PING").equals("PONG");
    } catch (TestkitException e) {
      return String.valueOf(e.getMessage()).contains("NOAUTH");
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    container.stop();
  }
}
