package io.idembox.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What a contender consumes, and where.
 *
 * @param name tells the state that it finds from that of other passes: Idembox's consumer name, and
 *     what effect keys begin with
 * @param group the Kafka group
 * @param performed counts the effects that were performed
 */
record Setting(
    String bootstrapServers,
    String jdbcUrl,
    String redisUri,
    String topic,
    String name,
    String group,
    EffectMode effects,
    LongAdder performed) {
  /** The same size for all who work in batches. */
  static final int BATCH = 1_000;

  private static final String FETCH_UNTIL_PROCESSED_MS = "300000";

  /** The Kafka properties that all have in common. */
  Map<String, Object> kafka() {
    Map<String, Object> properties = new HashMap<>();
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    properties.put(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, FirstPoll.class.getName());
    properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, FETCH_UNTIL_PROCESSED_MS);
    return properties;
  }

  /** The Kafka properties of all but Idembox, which sets these itself. */
  Map<String, Object> peersKafka(int maxPollRecords) {
    Map<String, Object> properties = kafka();
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, maxPollRecords);
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return properties;
  }

  /**
   * A connection pool. Batched inserts are rewritten to many rows each, which pgjdbc does not do
   * unless told.
   */
  HikariDataSource pool(int connections) {
    return pool(connections, true);
  }

  /** A connection pool. With rewriting, the driver no longer tells which rows were inserted. */
  HikariDataSource pool(int connections, boolean rewriteBatches) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl + "&reWriteBatchedInserts=" + rewriteBatches);
    config.setMaximumPoolSize(connections);
    config.setPoolName(group);
    return new HikariDataSource(config);
  }

  Setting withoutEffects() {
    return new Setting(
        bootstrapServers, jdbcUrl, redisUri, topic, name, group, EffectMode.NONE, performed);
  }

  /** The effect itself. */
  void performEffect() throws InterruptedException {
    if (effects == EffectMode.SLOW) {
      Thread.sleep(50);
    }
    performed.increment();
  }
}
