package io.idembox.runtime;

import io.idembox.effect.MicrometerEffectMetrics;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.ConsumerRegistration;
import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.PartitionProgress;
import io.idembox.inbox.RegisteredConsumer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What works on a replay's records: the consumer's own handling, without its group. */
final class ReplayLanes implements AutoCloseable {
  private final ConsumerSettings settings;
  private final Servers servers;
  private final Handling handling;
  private final Map<String, UUID> topicIds;
  private final EffectCounts counted;
  private final boolean registered;

  private ReplayLanes(
      ConsumerSettings settings,
      Servers servers,
      RegisteredConsumer registered,
      RunListener listener) {
    this.settings = settings;
    this.registered = registered.id() > 0;
    this.servers = servers;
    this.counted = new EffectCounts(MicrometerEffectMetrics.of(settings.meters()));
    this.handling =
        Handling.assemble(
            settings.name() + "-replay", settings, servers, registered, listener, counted);
    this.topicIds = servers.topicIds().byName();
    handling.start();
  }

  /**
   * Checks the servers and starts the threads.
   *
   * @param rebuilt whose rows are built anew; null for a replay under the consumer's own name
   * @throws StartRefusedException if a server cannot be used, or the names do not allow a rebuild
   */
  static ReplayLanes open(
      ConsumerSettings settings, @Nullable String rebuilt, boolean dryRun, RunListener listener) {
    Servers servers = Servers.check(settings);
    try {
      servers.bindCluster(settings);
      ConsumerRegistration registration = settings.registration();
      RegisteredConsumer registered =
          rebuilt == null
              ? servers.register(settings)
              : StaleConnections.past(
                  () ->
                      dryRun
                          ? servers.inbox().previewRebuild(registration, rebuilt)
                          : servers.inbox().registerRebuild(registration, rebuilt));
      return new ReplayLanes(settings, servers, registered, listener);
    } catch (RuntimeException e) {
      servers.close();
      throw new StartRefusedException(
          "The replay of consumer " + settings.name() + " does not start: " + Causes.told(e), e);
    }
  }

  /** What the database knows of these partitions; nothing under a name that is only looked at. */
  Optional<List<PartitionProgress>> progress(List<InboxPartition> partitions) {
    return registered && !partitions.isEmpty()
        ? Optional.of(handling.inbox().progress().read(partitions))
        : Optional.empty();
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
