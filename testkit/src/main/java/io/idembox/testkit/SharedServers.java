package io.idembox.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one set of servers of a test run, each started when it is first asked for. Thread-safe. */
final class SharedServers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SharedServers.class);

  private final Lazy<EmbeddedKafka> kafka = new Lazy<>("kafka", EmbeddedKafka::start);
  private final Lazy<EmbeddedPostgres> postgres = new Lazy<>("postgres", EmbeddedPostgres::start);
  private final Lazy<EmbeddedRedis> redis = new Lazy<>("redis", EmbeddedRedis::start);
  private final AtomicInteger scopes = new AtomicInteger();
  private final Map<String, CompletableFuture<String>> templates = new ConcurrentHashMap<>();
  // Dropping a database forces a checkpoint; no test waits for that.
  private final ExecutorService dropper =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "idembox-drop-databases");
            thread.setDaemon(true);
            return thread;
          });

  int nextScope() {
    return scopes.incrementAndGet();
  }

  void startInBackground(WithServers.Server server) {
    switch (server) {
      case KAFKA -> kafka.begin();
      case POSTGRES -> postgres.begin();
      case REDIS -> redis.begin();
    }
  }

  EmbeddedKafka kafka() {
    return kafka.get();
  }

  EmbeddedPostgres postgres() {
    return postgres.get();
  }

  EmbeddedRedis redis() {
    return redis.get();
  }

  /** The database of this template, prepared by the first caller while others wait. */
  String template(String name, TestScope.DatabasePreparer preparer) {
    CompletableFuture<String> mine = new CompletableFuture<>();
    CompletableFuture<String> first = templates.putIfAbsent(name, mine);
    if (first != null) {
      return join(first);
    }
    try {
      String database = postgres().createDatabase();
      DataSource source = postgres().dataSource(database);
      preparer.prepare(source);
      mine.complete(database);
      return database;
    } catch (Exception e) { // the preparer is the test's own code
      TestkitException failure =
          new TestkitException("Template " + name + " could not be prepared: " + e, e);
      mine.completeExceptionally(failure);
      throw failure;
    }
  }

  void dropLater(String database) {
    dropper.execute(
        () -> {
          try {
            postgres().dropDatabase(database);
          } catch (TestkitException e) {
            LOG.debug("Database {} stays until the server goes", database, e);
          }
        });
  }

  @Override
  public void close() {
    dropper.shutdownNow();
    List<Runnable> closers = new ArrayList<>();
    kafka.started().ifPresent(closers::add);
    postgres.started().ifPresent(closers::add);
    redis.started().ifPresent(closers::add);
    EmbeddedServers.closeAll(closers);
  }

  private static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof TestkitException failure) {
        throw failure;
      }
      throw e;
    }
  }

  private static final class Lazy<T extends AutoCloseable> {
    private final String name;
    private final Supplier<T> start;
    private @Nullable CompletableFuture<T> starting;

    Lazy(String name, Supplier<T> start) {
      this.name = name;
      this.start = start;
    }

    synchronized CompletableFuture<T> starting() {
      if (starting == null) {
        starting = EmbeddedServers.inBackground(name, start);
      }
      return starting;
    }

    synchronized void begin() {
      starting = starting();
    }

    T get() {
      return join(starting());
    }

    /** What closes it, if it was ever asked for and came up. */
    synchronized Optional<Runnable> started() {
      CompletableFuture<T> future = starting;
      return future == null ? Optional.empty() : Optional.of(() -> closeQuietly(future));
    }

    private void closeQuietly(CompletableFuture<T> future) {
      T server;
      try {
        server = future.join();
      } catch (CompletionException e) {
        return; // it never came up; the test that asked for it has said so
      }
      try {
        server.close();
      } catch (Exception e) {
        throw new TestkitException(name + " could not be closed: " + e.getMessage(), e);
      }
    }
  }
}
