package io.idembox.testkit;

import java.util.Map;
import java.util.TreeMap;

/** What a broker of one node needs to be told, wherever it runs. */
final class BrokerDefaults {
  private BrokerDefaults() {}

  /** The defaults, overridden by the given properties. */
  static Map<String, String> with(Map<String, String> properties) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("auto.create.topics.enable", "false");
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("offsets.topic.num.partitions", "1");
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("transaction.state.log.num.partitions", "1");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("share.coordinator.state.topic.num.partitions", "1");
    settings.put("share.coordinator.state.topic.replication.factor", "1");
    settings.put("share.coordinator.state.topic.min.isr", "1");
    // Tests of rebalances use short sessions.
    settings.put("group.min.session.timeout.ms", "1000");
    settings.put("group.consumer.min.session.timeout.ms", "1000");
    settings.put("group.consumer.min.heartbeat.interval.ms", "200");
    settings.putAll(properties);
    return settings;
  }
}
