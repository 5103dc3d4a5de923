package io.idembox.inbox;

import io.idembox.inbox.MessageIdentity.Source;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * Counts in Micrometer: {@code idembox.inbox.identities} by source, {@code
 * idembox.inbox.unusable.ids}, {@code idembox.inbox.messages} by result (fresh, duplicate), {@code
 * idembox.inbox.refused.by.another.topic} (of one batch in a hundred) and {@code
 * idembox.inbox.commits.unknown}. Needs micrometer-core on the class path; the inbox does not.
 */
public final class MicrometerInboxMetrics implements InboxMetrics {
  private final Map<Source, Counter> identities = new EnumMap<>(Source.class);
  private final Counter unusable;
  private final Counter fresh;
  private final Counter duplicates;
  private final Counter otherTopic;
  private final Counter commitsUnknown;

  private MicrometerInboxMetrics(MeterRegistry registry) {
    for (Source source : Source.values()) {
      identities.put(
          source,
          registry.counter(
              "idembox.inbox.identities", "source", source.name().toLowerCase(Locale.ROOT)));
    }
    unusable = registry.counter("idembox.inbox.unusable.ids");
    fresh = registry.counter("idembox.inbox.messages", "result", "fresh");
    duplicates = registry.counter("idembox.inbox.messages", "result", "duplicate");
    otherTopic = registry.counter("idembox.inbox.refused.by.another.topic");
    commitsUnknown = registry.counter("idembox.inbox.commits.unknown");
  }

  /** Meters are made at once, so that each is there with 0. */
  public static MicrometerInboxMetrics of(MeterRegistry registry) {
    return new MicrometerInboxMetrics(registry);
  }

  @Override
  public void identified(Source source) {
    Counter counter = identities.get(source);
    if (counter != null) {
      counter.increment();
    }
  }

  @Override
  public void unusableId() {
    unusable.increment();
  }

  @Override
  public void claimed(int freshMessages, int duplicateMessages) {
    fresh.increment(freshMessages);
    duplicates.increment(duplicateMessages);
  }

  @Override
  public void refusedByAnotherTopic(int messages) {
    otherTopic.increment(messages);
  }

  @Override
  public void commitUnknown() {
    commitsUnknown.increment();
  }
}
