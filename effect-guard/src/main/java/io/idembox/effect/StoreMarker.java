package io.idembox.effect;

import java.time.Instant;

/**
 * A record that a namespace's first guard leaves in the store. As long as the store keeps its data,
 * all later readers see the same one.
 *
 * @param id random
 * @param createdAt by the store's clock
 * @param fresh whether this very call wrote it: the namespace is new, or the store lost its data
 */
public record StoreMarker(String id, Instant createdAt, boolean fresh) {}
