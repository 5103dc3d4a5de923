package io.idembox.runtime;

import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedKafka;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Members come and go, by SIGTERM and SIGKILL, and freeze, at random, while records arrive, under
 * both group protocols at the same time, ordered by partition under one and by key under the other.
 * {@link SoakGuarantees} watch. {@code -Didembox.soak.seconds} sets the length, 90 by default.
 */
@WithServers({Server.POSTGRES, Server.REDIS})
class RebalanceSoakTest {
  private static final Duration TIME =
      Duration.ofSeconds(Integer.getInteger("idembox.soak.seconds", 90));

  private final TestScope scope;

  RebalanceSoakTest(TestScope scope) {
    this.scope = scope;
  }

  @Test
  void membersComeAndGoUnderBothProtocols() throws Exception {
    // Members that die are given up after seconds, under the consumer protocol too.
    try (EmbeddedKafka kafka =
        EmbeddedKafka.builder()
            .property("group.consumer.min.session.timeout.ms", "6000")
            .property("group.consumer.session.timeout.ms", "6000")
            .property("group.consumer.min.heartbeat.interval.ms", "1000")
            .property("group.consumer.heartbeat.interval.ms", "1000")
            .start()) {
      ExecutorService both = Executors.newFixedThreadPool(2);
      try {
        Future<?> classic = both.submit(() -> soak(kafka, "classic", Ordering.PARTITION));
        Future<?> consumer = both.submit(() -> soak(kafka, "consumer", Ordering.KEY));
        classic.get();
        consumer.get();
      } finally {
        both.shutdownNow();
        // Its processes end before their broker does.
        both.awaitTermination(30, TimeUnit.SECONDS);
      }
    }
  }

  private Void soak(EmbeddedKafka kafka, String protocol, Ordering ordering) throws Exception {
    TestScope.Database database =
        scope.postgres(
            "runtime",
            empty -> {
              IdemboxSchema.of(empty).migrate();
              Sink.createTables(empty);
            });
    String topic = "soak-" + protocol;
    kafka.createTopic(topic, SoakRun.PARTITIONS);
    long seed = System.nanoTime();
    SoakRun.Place place =
        new SoakRun.Place(
            kafka.bootstrapServers(),
            database.jdbcUrl(),
            database.dataSource(),
            scope.redis().uri(),
            topic,
            scope.group("soak-" + protocol),
            protocol,
            ordering);
    try (SoakRun run = new SoakRun(place, seed)) {
      run.run(TIME);
      return null;
    } catch (Exception | AssertionError e) {
      throw new AssertionError("Under the " + protocol + " protocol, seed " + seed, e);
    }
  }
}
