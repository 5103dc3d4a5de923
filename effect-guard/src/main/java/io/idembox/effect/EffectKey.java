package io.idembox.effect;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What makes an effect one and the same: an operation, its version, perhaps a tenant, and the parts
 * of a business id. Others call it an idempotency key. It says what is done, never which message
 * asked for it.
 *
 * <p>Two keys are equal when operation, version, tenant and all parts are equal, character by
 * character: nothing is trimmed, folded or normalised, and no character is special. {@code id(9L)}
 * and {@code id("9")} are the same key.
 *
 * <p>Immutable and safe for use by any thread.
 */
public final class EffectKey {
  /** The longest canonical form, in bytes. */
  public static final int MAX_CANONICAL_BYTES = 64 * 1024;

  private final String operation;
  private final int version;
  private final @Nullable String tenant;
  private final List<String> parts;
  private final byte[] canonical;

  EffectKey(String operation, int version, @Nullable String tenant, List<String> parts) {
    this.operation = operation;
    this.version = version;
    this.tenant = tenant;
    this.parts = List.copyOf(parts);
    this.canonical = CanonicalKey.write(operation, version, tenant, this.parts);
    if (canonical.length > MAX_CANONICAL_BYTES) {
      throw new IllegalArgumentException(
          "EffectKey of operation '%s' takes %d bytes; at most %d are allowed: use a digest of the long part"
              .formatted(operation, canonical.length, MAX_CANONICAL_BYTES));
    }
  }

  /**
   * Starts a key.
   *
   * @param operation what is done, in business terms, such as {@code "mail.invoice"}
   * @throws IllegalArgumentException if the operation is blank or holds an unpaired surrogate
   */
  public static Operation of(String operation) {
    return new Operation(checked("operation", operation), 1, null);
  }

  /**
   * Reads back what {@link #canonical()} gave.
   *
   * @throws IllegalArgumentException if the bytes are not the canonical form of a key
   */
  public static EffectKey fromCanonical(byte[] canonical) {
    return CanonicalKey.read(canonical);
  }

  public String operation() {
    return operation;
  }

  /** The operation's version, 1 unless set. Another version is another effect. */
  public int version() {
    return version;
  }

  public Optional<String> tenant() {
    return Optional.ofNullable(tenant);
  }

  /** The parts of the business id, at least one, none of them blank. */
  public List<String> parts() {
    return parts;
  }

  /**
   * A copy of the length-prefixed form: what is hashed, and what a journal stores. Different keys
   * never share it.
   */
  public byte[] canonical() {
    return canonical.clone();
  }

  /** The canonical form itself; not to be changed. */
  byte[] raw() {
    return canonical;
  }

  /**
   * The identity of this effect in a namespace.
   *
   * @throws IllegalArgumentException if the namespace is blank or holds an unpaired surrogate
   */
  public EffectKeyHash hash(String namespace) {
    return EffectKeyHash.of(namespace, canonical);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EffectKey key && Arrays.equals(canonical, key.canonical);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(canonical);
  }

  /**
   * A form for people, with control characters escaped and long parts cut: {@code
   * mail.invoice@acme[order-9]}.
   */
  @Override
  public String toString() {
    return ReadableKey.format(this);
  }

  static String checked(String what, @Nullable String text) {
    if (text == null) {
      throw new IllegalArgumentException("EffectKey has a null " + what);
    }
    if (text.isBlank()) {
      throw new IllegalArgumentException(
          "EffectKey has %s %s: every part must hold a visible character"
              .formatted(text.isEmpty() ? "an empty" : "a blank", what));
    }
    // Surrogates that form no pair have no UTF-8 form; the usual encoder makes "?" of each, so two
    // keys would become one.
    if (hasSurrogate(text) && !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException("EffectKey has an unpaired surrogate in its " + what);
    }
    return text;
  }

  private static boolean hasSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  /** An operation that still needs its business id. Immutable: each method returns a new one. */
  public static final class Operation {
    private final String operation;
    private final int version;
    private final @Nullable String tenant;

    private Operation(String operation, int version, @Nullable String tenant) {
      this.operation = operation;
      this.version = version;
      this.tenant = tenant;
    }

    /**
     * Makes it another effect on purpose: version 2 of an operation runs again for ids that version
     * 1 has done.
     *
     * @throws IllegalArgumentException if the version is below 1
     */
    public Operation version(int version) {
      if (version < 1) {
        throw new IllegalArgumentException(
            "EffectKey has version " + version + ": versions count from 1");
      }
      return new Operation(operation, version, tenant);
    }

    /**
     * Makes it this tenant's effect: another tenant's, or none's, is another one.
     *
     * @throws IllegalArgumentException if the tenant is blank or holds an unpaired surrogate
     */
    public Operation tenant(String tenant) {
      return new Operation(operation, version, checked("tenant", tenant));
    }

    /**
     * The business id, in one or more parts. {@code id("a", "bc")} and {@code id("ab", "c")} are
     * different keys.
     *
     * @throws IllegalArgumentException if a part is null, empty, blank or holds an unpaired
     *     surrogate; the message names the part by its number, counted from 1
     */
    public EffectKey id(String first, String... more) {
      List<String> parts = new ArrayList<>(1 + more.length);
      parts.add(checked("part 1", first));
      for (int i = 0; i < more.length; i++) {
        parts.add(checked("part " + (i + 2), more[i]));
      }
      return new EffectKey(operation, version, tenant, parts);
    }

    public EffectKey id(long id) {
      return id(Long.toString(id));
    }

    /**
     * The business id, as its text in lower case.
     *
     * @throws IllegalArgumentException if the id is null
     */
    public EffectKey id(UUID id) {
      return id(id == null ? checked("part 1", null) : id.toString());
    }
  }
}
