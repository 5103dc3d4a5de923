package io.idembox.effect;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What users may change about the Redis client, by the client's own names. Not there is what a
 * promise rests on: that commands are rejected while it is disconnected and never sent twice, that
 * it reconnects, how long a command may take, and who answers.
 */
final class ClientProperties {
  private enum Kind {
    MILLIS(1, 60_000),
    COUNT(1, 1_000_000),
    THREADS(2, 64),
    FLAG(0, 0),
    TEXT(0, 0);

    private final long least;
    private final long most;

    Kind(long least, long most) {
      this.least = least;
      this.most = most;
    }
  }

  private static final Map<String, Kind> KINDS =
      Map.of(
          "connectTimeout", Kind.MILLIS,
          "keepAlive", Kind.FLAG,
          "tcpNoDelay", Kind.FLAG,
          "requestQueueSize", Kind.COUNT,
          "pingBeforeActivateConnection", Kind.FLAG,
          "suspendReconnectOnProtocolFailure", Kind.FLAG,
          "ioThreadPoolSize", Kind.THREADS,
          "computationThreadPoolSize", Kind.THREADS,
          "clientName", Kind.TEXT);

  private final Map<String, String> given = new TreeMap<>();

  static Set<String> names() {
    return new TreeSet<>(KINDS.keySet());
  }

  /**
   * The rule that a value breaks; empty if it does not.
   *
   * @throws IllegalArgumentException if there is no such property
   */
  static Optional<String> brokenRule(String name, String value) {
    Kind kind = KINDS.get(name);
    if (kind == null) {
      throw new IllegalArgumentException(
          "The Redis client has no property '" + name + "' to set; there are " + names());
    }
    return switch (kind) {
      case FLAG ->
          value.equals("true") || value.equals("false")
              ? Optional.empty()
              : Optional.of("must be true or false");
      case TEXT ->
          value.isBlank() || value.contains(" ")
              ? Optional.of("must be one word")
              : Optional.empty();
      case MILLIS, COUNT, THREADS -> outOfRange(kind, value);
    };
  }

  private static Optional<String> outOfRange(Kind kind, String value) {
    String rule =
        "must be "
            + kind.least
            + " to "
            + kind.most
            + (kind == Kind.MILLIS ? " (milliseconds, without a unit)" : "");
    try {
      long number = Long.parseLong(value);
      return number < kind.least || number > kind.most ? Optional.of(rule) : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.of(rule);
    }
  }

  void set(String name, String value) {
    brokenRule(name, value)
        .ifPresent(
            rule -> {
              throw new IllegalArgumentException(
                  "The Redis client's property " + name + " " + rule + ", not " + value);
            });
    given.put(name, value);
  }

  Optional<String> clientName() {
    return text("clientName");
  }

  void apply(SocketOptions.Builder socket) {
    text("connectTimeout")
        .ifPresent(value -> socket.connectTimeout(Duration.ofMillis(Long.parseLong(value))));
    flag("keepAlive").ifPresent(socket::keepAlive);
    flag("tcpNoDelay").ifPresent(socket::tcpNoDelay);
  }

  void apply(ClientOptions.Builder client) {
    text("requestQueueSize").map(Integer::valueOf).ifPresent(client::requestQueueSize);
    flag("pingBeforeActivateConnection").ifPresent(client::pingBeforeActivateConnection);
    flag("suspendReconnectOnProtocolFailure").ifPresent(client::suspendReconnectOnProtocolFailure);
  }

  void apply(ClientResources.Builder resources) {
    text("ioThreadPoolSize").map(Integer::valueOf).ifPresent(resources::ioThreadPoolSize);
    text("computationThreadPoolSize")
        .map(Integer::valueOf)
        .ifPresent(resources::computationThreadPoolSize);
  }

  private Optional<String> text(String name) {
    return Optional.ofNullable(given.get(name));
  }

  private Optional<Boolean> flag(String name) {
    return text(name).map(Boolean::valueOf);
  }
}
