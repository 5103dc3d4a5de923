package io.idembox.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Kafka, PostgreSQL and Redis, started and closed at the same time. Thread-safe. */
public final class EmbeddedServers implements AutoCloseable {
  private final EmbeddedKafka kafka;
  private final EmbeddedPostgres postgres;
  private final EmbeddedRedis redis;

  private EmbeddedServers(EmbeddedKafka kafka, EmbeddedPostgres postgres, EmbeddedRedis redis) {
    this.kafka = kafka;
    this.postgres = postgres;
    this.redis = redis;
  }

  /**
   * Starts all three with default settings.
   *
   * @throws ServerStartException if one does not start, naming it and the reason; the others are
   *     closed then
   */
  public static EmbeddedServers start() {
    return start(EmbeddedKafka.builder(), EmbeddedPostgres.builder(), EmbeddedRedis.builder());
  }

  /**
   * Starts all three with these settings.
   *
   * @throws ServerStartException if one does not start, naming it and the reason; the others are
   *     closed then
   */
  public static EmbeddedServers start(
      EmbeddedKafka.Builder kafka, EmbeddedPostgres.Builder postgres, EmbeddedRedis.Builder redis) {
    CompletableFuture<EmbeddedKafka> kafkaStarting = inBackground("kafka", kafka::start);
    CompletableFuture<EmbeddedPostgres> postgresStarting =
        inBackground("postgres", postgres::start);
    CompletableFuture<EmbeddedRedis> redisStarting = inBackground("redis", redis::start);
    try {
      return new EmbeddedServers(
          kafkaStarting.join(), postgresStarting.join(), redisStarting.join());
    } catch (CompletionException e) {
      throw failure(List.of(kafkaStarting, postgresStarting, redisStarting));
    }
  }

  static <T> CompletableFuture<T> inBackground(String name, Supplier<T> start) {
    // The logger must be up before several threads want it at once: SLF4J would complain on
    // standard error.
    ServerLogging.quieten();
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread = new Thread(() -> complete(result, start), "idembox-start-" + name);
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  // Whatever goes wrong on the background thread belongs to the caller, errors too.
  private static <T> void complete(CompletableFuture<T> result, Supplier<T> start) {
    try {
      result.complete(start.get());
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }

  private static ServerStartException failure(
      List<? extends CompletableFuture<? extends AutoCloseable>> starting) {
    List<Throwable> failures = new ArrayList<>();
    for (CompletableFuture<? extends AutoCloseable> server : starting) {
      try {
        server.join().close();
      } catch (CompletionException e) {
        failures.add(e.getCause() == null ? e : e.getCause());
      } catch (Exception e) {
        failures.add(e);
      }
    }
    List<String> reasons = failures.stream().map(EmbeddedServers::reason).toList();
    ServerStartException failure =
        new ServerStartException(String.join("; ", reasons), failures.get(0));
    failures.stream().skip(1).forEach(failure::addSuppressed);
    return failure;
  }

  private static String reason(Throwable failure) {
    return failure instanceof ServerStartException
        ? String.valueOf(failure.getMessage())
        : failure.toString();
  }

  /** The broker. */
  public EmbeddedKafka kafka() {
    return kafka;
  }

  /** The database server. */
  public EmbeddedPostgres postgres() {
    return postgres;
  }

  /** The Redis server. */
  public EmbeddedRedis redis() {
    return redis;
  }

  /**
   * Closes all three; if one cannot be closed the others are, and its exception is thrown.
   * Idempotent.
   */
  @Override
  public void close() {
    closeAll(List.of(kafka::close, postgres::close, redis::close));
  }

  static void closeAll(List<Runnable> closers) {
    List<CompletableFuture<Boolean>> closing =
        closers.stream()
            .map(
                closer ->
                    inBackground(
                        "close",
                        () -> {
                          closer.run();
                          return true;
                        }))
            .toList();
    @Nullable TestkitException failure = null;
    for (CompletableFuture<Boolean> one : closing) {
      try {
        one.join();
      } catch (CompletionException e) {
        if (failure == null) {
          failure = new TestkitException("A server could not be closed: " + e.getCause(), e);
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
