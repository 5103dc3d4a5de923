package io.idembox.runtime;

import io.idembox.effect.MicrometerEffectMetrics;
import io.idembox.inbox.ConsumerInbox;
import java.util.Map;
import java.util.UUID;

/** What works on a replay's records: the consumer's own handling, without its group. */
final class ReplayLanes implements AutoCloseable {
  private final ConsumerSettings settings;
  private final Servers servers;
  private final Handling handling;
  private final Map<String, UUID> topicIds;
  private final EffectCounts counted;

  private ReplayLanes(ConsumerSettings settings, Servers servers, RunListener listener) {
    this.settings = settings;
    this.servers = servers;
    this.counted = new EffectCounts(MicrometerEffectMetrics.of(settings.meters()));
    this.handling =
        Handling.assemble(
            settings.name() + "-replay",
            settings,
            servers,
            servers.register(settings),
            listener,
            counted);
    this.topicIds = servers.topicIds().byName();
    handling.start();
  }

  /**
   * Checks the servers and starts the threads.
   *
   * @throws StartRefusedException if a server cannot be used
   */
  static ReplayLanes open(ConsumerSettings settings, RunListener listener) {
    Servers servers = Servers.check(settings);
    try {
      return new ReplayLanes(settings, servers, listener);
    } catch (RuntimeException e) {
      servers.close();
      throw new StartRefusedException(
          "The replay of consumer " + settings.name() + " does not start: " + Causes.summary(e), e);
    }
  }

  ConsumerInbox inbox() {
    return handling.inbox();
  }

  /** The id of a subscribed topic. */
  UUID topicId(String topic) {
    UUID id = topicIds.get(topic);
    if (id == null) {
      throw new IllegalArgumentException("A replay reads subscribed topics only, not " + topic);
    }
    return id;
  }

  void wake(PartitionWork work) {
    handling.pool().wake(work);
  }

  long effectsPerformed() {
    return counted.performed();
  }

  long effectsReplayed() {
    return counted.replayed();
  }

  /** In the order in which one needs the other. */
  @Override
  public void close() {
    handling.close(Deadline.in(settings.budgets().shutdown()));
    servers.close();
  }
}
