package io.idembox.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Reaches the brokers and reads the ids of the subscribed topics. */
final class KafkaCheck {
  private KafkaCheck() {}

  /**
   * The topics' ids.
   *
   * @throws StartRefusedException if no broker answers in time, or a topic does not exist or may
   *     not be read
   */
  static TopicIds topicIds(KafkaSettings kafka, Set<String> topics, Duration limit) {
    String at = "Kafka at " + kafka.bootstrapServers();
    Admin admin = null;
    try {
      admin = Admin.create(kafka.forAdmin());
      long end = System.nanoTime() + limit.toNanos();
      Map<String, KafkaFuture<TopicDescription>> answers =
          admin.describeTopics(topics).topicNameValues();
      Map<String, UUID> ids = new HashMap<>();
      List<String> missing = new ArrayList<>();
      for (Map.Entry<String, KafkaFuture<TopicDescription>> answer : answers.entrySet()) {
        try {
          long left = Math.max(1, end - System.nanoTime());
          Uuid id = answer.getValue().get(left, TimeUnit.NANOSECONDS).topicId();
          ids.put(
              answer.getKey(), new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()));
        } catch (ExecutionException e) {
          if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
            throw new StartRefusedException(
                at + " refuses topic " + answer.getKey() + ": " + e.getCause(), e.getCause());
          }
          missing.add(answer.getKey());
        }
      }
      if (!missing.isEmpty()) {
        throw new StartRefusedException(
            at + " has no topic " + String.join(", ", missing) + "; create it before the start",
            null);
      }
      return new TopicIds(ids);
    } catch (TimeoutException e) {
      throw new StartRefusedException(
          at + " did not answer within " + limit.toMillis() + " ms; is it up, and reachable?", e);
    } catch (KafkaException e) {
      throw new StartRefusedException(at + " cannot be used: " + Causes.summary(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartRefusedException("Interrupted while asking " + at, e);
    } finally {
      if (admin != null) {
        // At once: its own close waits for the answers that did not come.
        admin.close(Duration.ZERO);
      }
    }
  }
}
