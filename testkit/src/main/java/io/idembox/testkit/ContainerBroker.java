package io.idembox.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** A broker in a container. */
final class ContainerBroker implements KafkaBackend {
  private static final DockerImageName IMAGE = DockerImageName.parse("apache/kafka:4.3.1");
  private static final int PORT_INSIDE = 9092;
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  private final KafkaContainer container = new KafkaContainer(IMAGE);
  private final int port = FreePorts.next();

  ContainerBroker(Map<String, String> properties, boolean behindRelay) {
    Containers.requireDocker("Kafka");
    if (behindRelay) {
      throw new ServerStartException(
          "Kafka did not start: a broker behind a relay is not for containers");
    }
    properties.forEach(
        (name, value) ->
            container.withEnv("KAFKA_" + name.toUpperCase(Locale.ROOT).replace('.', '_'), value));
    Containers.startOn(port, PORT_INSIDE, container, "Kafka");
  }

  @Override
  public String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  @Override
  public Path dataDirectory() {
    throw new UnsupportedOperationException("Kafka runs in a container: its files are not here");
  }

  @Override
  public void stop() {
    Containers.stop(container);
  }

  @Override
  public void start() {
    Containers.startAgain(container);
    try (Admin admin =
        Admin.create(Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()))) {
      if (!Pause.until(START_LIMIT, () -> answers(admin))) {
        throw new ServerStartException("Kafka in a container does not answer on port " + port);
      }
    }
  }

  private static boolean answers(Admin admin) {
    try {
      return !admin.describeCluster().nodes().get().isEmpty();
    } catch (ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("Interrupted while waiting for Kafka", e);
    }
  }

  @Override
  public void close() {
    container.stop();
  }
}
