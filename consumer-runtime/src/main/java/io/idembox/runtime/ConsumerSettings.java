package io.idembox.runtime;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.EffectStore;
import io.idembox.inbox.ClusterChange;
import io.idembox.inbox.ConsumerRegistration;
import io.idembox.inbox.JdbcInbox;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.inbox.PrunePolicy;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Everything that was set, checked. Opens nothing. */
record ConsumerSettings(
    String name,
    String groupId,
    @Nullable String effectNamespace,
    KafkaSettings kafka,
    DataSource dataSource,
    boolean migrate,
    @Nullable String redisUri,
    @Nullable EffectStore effectStore,
    EffectCatalog effects,
    Routes routes,
    MessageIdResolver messageIds,
    StartPosition start,
    boolean adoptOffsets,
    boolean acceptResolverChange,
    @Nullable ClusterChange adoptCluster,
    LaneLimits laneLimits,
    TransactionTimeouts timeouts,
    Budgets budgets,
    Retries retries,
    FailureJudge failureJudge,
    EffectLimits effectLimits,
    @Nullable String deadLetterTopic,
    Duration sweepInterval,
    @Nullable PrunePolicy prunePolicy,
    RunListener listener,
    MeterRegistry meters,
    OpenTelemetry telemetry) {

  /** The inbox, not asked yet. Throws if the relations between its time-outs do not hold. */
  JdbcInbox newInbox() {
    return JdbcInbox.builder(dataSource)
        .lockTimeout(timeouts.claim())
        .effectTimeout(timeouts.effect())
        .idleInTransactionTimeout(timeouts.idle())
        .journalLease(journalLease())
        .build();
  }

  /** What the consumer says of itself to the database. */
  ConsumerRegistration registration() {
    ConsumerRegistration registration =
        new ConsumerRegistration(name, groupId, effectNamespace, messageIds.fingerprint());
    return acceptResolverChange ? registration.acceptResolverChange() : registration;
  }

  /** One length for all marks of a member in the journal: the longest of its effects' leases. */
  Duration journalLease() {
    Duration longest = Duration.ZERO;
    for (String effect : effects.names()) {
      Duration lease = effects.find(effect).orElseThrow().policy().lease();
      longest = lease.compareTo(longest) > 0 ? lease : longest;
    }
    return longest.isZero() ? EffectPolicy.DEFAULT_LEASE : longest;
  }
}
