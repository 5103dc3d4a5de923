package io.idembox.runtime;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All subscriptions of one consumer, by topic. */
final class Routes {
  private final Map<String, Subscription> byTopic = new HashMap<>();

  /**
   * Takes the subscriptions in.
   *
   * @throws IllegalArgumentException if there is none, one has no handler, or two name one topic
   */
  Routes(List<Subscription> subscriptions) {
    if (subscriptions.isEmpty()) {
      throw new IllegalArgumentException("A consumer needs at least one subscription");
    }
    for (Subscription subscription : subscriptions) {
      if (!subscription.hasHandler()) {
        throw new IllegalArgumentException(
            "The subscription to "
                + subscription.topics()
                + " lists no type; add one with on(...)");
      }
      for (String topic : subscription.topics()) {
        if (byTopic.put(topic, subscription) != null) {
          throw new IllegalArgumentException(
              "Topic " + topic + " is in two subscriptions; one topic has one subscription");
        }
      }
    }
  }

  Set<String> topics() {
    return byTopic.keySet();
  }

  /** Whether effects of one record key run one after the other. */
  boolean runsEffectsInTurn(String topic) {
    Subscription subscription = byTopic.get(topic);
    return subscription != null && subscription.hasOrderedEffects();
  }

  /** Whether they do for any topic. */
  boolean runEffectsInTurn() {
    return byTopic.values().stream().anyMatch(Subscription::hasOrderedEffects);
  }

  /** The route of a record, or null where the record's type has no handler. */
  @Nullable Route<?> of(FetchedRecord fetched) throws Exception {
    Subscription subscription = byTopic.get(fetched.topic());
    return subscription == null ? null : subscription.route(fetched.record());
  }
}
