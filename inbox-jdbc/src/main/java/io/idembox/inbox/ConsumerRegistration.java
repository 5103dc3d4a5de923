package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * What a consumer says of itself when it starts.
 *
 * @param name scopes the inbox: under the same name, what was handled stays handled
 * @param groupId the Kafka consumer group, a setting of its own
 * @param namespace of its effects, or null for the default: the one registered before, else the one
 *     of a consumer that this one replaces, else {@code <name>@<installation id>}
 * @param resolverFingerprint from {@link MessageIdResolver#fingerprint}
 * @param resolverChangeAccepted whether another fingerprint than the stored one is taken over;
 *     messages may then get other identities and be handled again
 */
public record ConsumerRegistration(
    String name,
    String groupId,
    @Nullable String namespace,
    String resolverFingerprint,
    boolean resolverChangeAccepted) {
  /**
   * Checks the texts.
   *
   * @throws IllegalArgumentException if one that is required is blank
   */
  public ConsumerRegistration {
    notBlank(name, "name");
    notBlank(groupId, "groupId");
    requireNonNull(resolverFingerprint, "resolverFingerprint");
    if (namespace != null) {
      notBlank(namespace, "namespace");
    }
  }

  /** A registration that refuses a changed fingerprint. */
  public ConsumerRegistration(
      String name, String groupId, @Nullable String namespace, String resolverFingerprint) {
    this(name, groupId, namespace, resolverFingerprint, false);
  }

  /** This registration, with a changed fingerprint accepted. */
  public ConsumerRegistration acceptResolverChange() {
    return new ConsumerRegistration(name, groupId, namespace, resolverFingerprint, true);
  }

  private static void notBlank(String text, String what) {
    if (requireNonNull(text, what).isBlank()) {
      throw new IllegalArgumentException("The consumer's " + what + " is blank");
    }
  }
}
