package io.idembox.testkit;

import java.util.function.Supplier;

/** Which way servers are run, from the system property {@code idembox.services}. */
enum Services {
  EMBEDDED,
  CONTAINERS;

  static final String PROPERTY = "idembox.services";

  /**
   * What the property asks for; embedded if it is not set.
   *
   * @throws TestkitException if it is neither {@code embedded} nor {@code containers}
   */
  static Services configured() {
    String value = System.getProperty(PROPERTY, "embedded");
    return switch (value) {
      case "embedded" -> EMBEDDED;
      case "containers" -> CONTAINERS;
      default ->
          throw new TestkitException(
              PROPERTY + " is '" + value + "': use 'embedded' (default) or 'containers'");
    };
  }

  /**
   * Starts a server one way or the other. The container's class is loaded only when it is asked
   * for, since its library is optional.
   *
   * @param server for the error message
   * @param artifact the artifact that brings the container's class
   * @throws ServerStartException if containers are asked for and the artifact or a Docker engine is
   *     missing
   */
  static <B> B start(String server, String artifact, Supplier<B> embedded, Supplier<B> container) {
    if (configured() == EMBEDDED) {
      return embedded.get();
    }
    try {
      return container.get();
    } catch (NoClassDefFoundError e) {
      throw new ServerStartException(
          server
              + " did not start: "
              + PROPERTY
              + "=containers needs org.testcontainers:"
              + artifact
              + " on the class path: add it, or unset the property to use the embedded server",
          e);
    }
  }
}
