package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.UUID;

/**
 * A consumer as the database knows it.
 *
 * @param id interned; stands in each inbox row
 * @param namespace of its effects; fixed when the consumer was first registered
 * @param installationId of the database
 * @param rebuilds ids of the consumers whose rows this one builds anew, the nearest first; empty
 *     for a consumer of its own. What they have done has no effect again
 */
public record RegisteredConsumer(
    short id,
    String name,
    String groupId,
    String namespace,
    UUID installationId,
    List<Short> rebuilds) {
  /** A consumer of its own. */
  public RegisteredConsumer(
      short id, String name, String groupId, String namespace, UUID installationId) {
    this(id, name, groupId, namespace, installationId, List.of());
  }

  /** All parts are required; the list is copied. */
  public RegisteredConsumer {
    rebuilds = List.copyOf(rebuilds);
    requireNonNull(name, "name");
    requireNonNull(groupId, "groupId");
    requireNonNull(namespace, "namespace");
    requireNonNull(installationId, "installationId");
  }
}
