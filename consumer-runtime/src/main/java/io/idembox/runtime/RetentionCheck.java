package io.idembox.runtime;

import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares how long the inbox remembers with how long Kafka keeps. */
final class RetentionCheck {
  private static final Logger log = LoggerFactory.getLogger(RetentionCheck.class);

  private RetentionCheck() {}

  /**
   * Says which topics outlive the inbox's memory. Their own records stay recognised, by the done
   * ranges; a copy of an old one, published again, would not be.
   */
  static void tell(Map<String, Duration> topics, Duration inbox) {
    topics.forEach(
        (topic, kept) -> {
          if (kept.compareTo(inbox) > 0) {
            log.warn(
                "Topic {} keeps records {}, the inbox remembers them for {}: a copy of a record"
                    + " that is older, published again, would be handled again. Set retention(...)"
                    + " to at least the topic's retention.ms",
                topic,
                kept.equals(AdminTopics.FOR_EVER) ? "for ever" : "for " + kept,
                inbox);
          }
        });
  }
}
