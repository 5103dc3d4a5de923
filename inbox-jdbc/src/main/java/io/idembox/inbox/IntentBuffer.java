package io.idembox.inbox;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectCodec;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectKeyHash;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.OnMismatch;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The intents of one transaction, one a key: whoever asks first decides the request. */
final class IntentBuffer {
  private static final Logger log = LoggerFactory.getLogger(IntentBuffer.class);

  private final EffectCatalog catalog;
  private final EffectCodec codec;
  private final String namespace;
  private final Map<EffectKeyHash, Intent> intents = new LinkedHashMap<>();
  private final Map<EffectKeyHash, Intent> inherited = new LinkedHashMap<>(0);
  private BitSet doneBefore = new BitSet(0);

  IntentBuffer(EffectCatalog catalog, EffectCodec codec, String namespace) {
    this.catalog = catalog;
    this.codec = codec;
    this.namespace = namespace;
  }

  /** What these messages ask for was done under another name of the consumer. */
  void inheritOf(BitSet messages) {
    doneBefore = messages;
  }

  void add(int message, EffectName<?, ?> name, EffectKey key, @Nullable Object request) {
    EffectPolicy policy = effect(name).policy();
    if (request == null) {
      // Stored, it could never be performed: an effect's code is given a request.
      throw new IllegalArgumentException(
          "The request of effect "
              + name.name()
              + " "
              + key
              + " is null; give one, a record without components if there is nothing to say");
    }
    if (doneBefore.get(message)) {
      EffectKeyHash hash = key.hash(namespace);
      inherited.putIfAbsent(
          hash, new Intent(message, name.name(), key, hash, new byte[0], null, policy));
      return;
    }
    byte[] encoded = encode(name, key, request);
    byte[] fingerprint =
        policy.fingerprint() == OnMismatch.IGNORE
            ? null
            : Fingerprints.of(comparable(name, key, request));
    EffectKeyHash hash = key.hash(namespace);
    Intent intent = new Intent(message, name.name(), key, hash, encoded, fingerprint, policy);
    Intent first = intents.putIfAbsent(hash, intent);
    if (first != null && !Arrays.equals(first.fingerprint(), fingerprint)) {
      conflict(intent);
    }
  }

  /** Another request under the same key: the effect's policy says what that means. */
  static void conflict(Intent intent) {
    if (intent.policy().fingerprint() == OnMismatch.REJECT) {
      throw new RequestMismatchException(intent.key(), intent.message());
    }
    if (intent.policy().fingerprint() == OnMismatch.WARN) {
      log.warn(
          "Effect {} is asked for with another request than the one that stands in the journal; the earlier"
              + " one counts. Put what differs into the key if it is another effect",
          intent.key());
    }
  }

  Effect<?, ?> effect(EffectName<?, ?> name) {
    if (!catalog.contains(name)) {
      throw new IllegalArgumentException(
          "Effect "
              + name.name()
              + " is not among those that this consumer was given, "
              + catalog.names()
              + ": register it");
    }
    return catalog.find(name.name()).orElseThrow();
  }

  boolean isEmpty() {
    return intents.isEmpty();
  }

  /** Those that count as finished. */
  Collection<Intent> inherited() {
    return inherited.values();
  }

  Collection<Intent> all() {
    return intents.values();
  }

  private byte[] encode(EffectName<?, ?> name, EffectKey key, Object request) {
    try {
      return codec.encode(request);
    } catch (Exception e) {
      throw unencodable(name, key, e);
    }
  }

  private byte[] comparable(EffectName<?, ?> name, EffectKey key, Object request) {
    try {
      return codec.comparable(request);
    } catch (Exception e) {
      throw unencodable(name, key, e);
    }
  }

  private static IllegalArgumentException unencodable(
      EffectName<?, ?> name, EffectKey key, Exception e) {
    return new IllegalArgumentException(
        "The request of effect "
            + name.name()
            + " "
            + key
            + " cannot be encoded: "
            + e.getMessage(),
        e);
  }
}
