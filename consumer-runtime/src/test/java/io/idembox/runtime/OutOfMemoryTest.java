package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** C09: a process that ran out of memory ends, and says over what. */
class OutOfMemoryTest extends ConsumerTestBase {
  OutOfMemoryTest(TestScope scope) {
    super(scope);
  }

  @ParameterizedTest
  @ValueSource(strings = {"handler", "effect"})
  void theProcessEndsNonZeroAndNamesTheRecordOrTheEffect(String where) throws Exception {
    for (int i = 0; i < 5; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();

    try (JavaProcess process =
        JavaProcess.builder(GreedyConsumer.class)
            .jvmArgs("-Xmx128m")
            .args(
                scope.kafka().bootstrapServers(),
                database.getJdbcUrl(),
                scope.redis().uri(),
                topic,
                group,
                where)
            .start()) {
      assertThat(process.awaitExit(Duration.ofSeconds(60))).isEqualTo(OutOfMemory.EXIT_CODE);
      assertThat(process.output())
          .anyMatch(
              line ->
                  line.contains(where.equals("handler") ? topic + "-0@2" : "mail.invoice")
                      && line.contains("out of memory"));
    }
  }
}
