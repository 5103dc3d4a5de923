package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.util.UUID;

/**
 * A consumer as the database knows it.
 *
 * @param id interned; stands in each inbox row
 * @param namespace of its effects; fixed when the consumer was first registered
 * @param installationId of the database
 */
public record RegisteredConsumer(
    short id, String name, String groupId, String namespace, UUID installationId) {
  /** All parts are required. */
  public RegisteredConsumer {
    requireNonNull(name, "name");
    requireNonNull(groupId, "groupId");
    requireNonNull(namespace, "namespace");
    requireNonNull(installationId, "installationId");
  }
}
