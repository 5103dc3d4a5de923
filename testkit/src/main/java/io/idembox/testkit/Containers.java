package io.idembox.testkit;

import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/**
 * What the container backends share. Loaded only when containers are asked for: Testcontainers is
 * optional.
 */
final class Containers {
  private Containers() {}

  /**
   * @throws ServerStartException if no Docker engine answers
   */
  static void requireDocker(String server) {
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      throw new ServerStartException(
          server
              + " did not start: "
              + Services.PROPERTY
              + "=containers needs a Docker engine and none answers: start one, or unset the property to use the"
              + " embedded server");
    }
  }

  /**
   * Starts it with its port published on a fixed one, since a published random port changes with
   * every start.
   */
  static void startOn(int port, int inside, GenericContainer<?> container, String server) {
    container.setPortBindings(List.of("127.0.0.1:" + port + ":" + inside));
    try {
      container.start();
    } catch (RuntimeException e) {
      throw new ServerStartException(
          server + " did not start in a container: " + e.getMessage(), e);
    }
  }

  static void stop(GenericContainer<?> container) {
    if (container.isRunning()) {
      DockerClientFactory.lazyClient().stopContainerCmd(container.getContainerId()).exec();
    }
  }

  static void kill(GenericContainer<?> container) {
    if (container.isRunning()) {
      DockerClientFactory.lazyClient().killContainerCmd(container.getContainerId()).exec();
    }
  }

  static void startAgain(GenericContainer<?> container) {
    if (!container.isRunning()) {
      DockerClientFactory.lazyClient().startContainerCmd(container.getContainerId()).exec();
    }
  }
}
