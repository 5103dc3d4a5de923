package io.idembox.effect;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/** Short names for the commands of store tests: keys and tokens are given as words. */
final class StoreCommands {
  private final String namespace;

  StoreCommands(String namespace) {
    this.namespace = namespace;
  }

  static EffectKey key(String word) {
    return EffectKey.of("test.effect").id(word);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  EffectId id(String word) {
    return EffectId.of(namespace, key(word));
  }

  static EffectToken token(String word) {
    return EffectToken.ofBytes(
        Arrays.copyOf(EffectKeyHash.sha256().digest(utf8(word)), EffectToken.LENGTH));
  }

  StoreCommand.Claim claim(String key, String token, Duration lease) {
    return new StoreCommand.Claim(
        id(key), token(token), key(key), lease, true, false, 1, 0, "owner-" + token);
  }

  StoreCommand.Claim hold(StoreCommand.Claim c) {
    return new StoreCommand.Claim(
        c.id(),
        c.token(),
        c.key(),
        c.lease(),
        false,
        c.earlierUnknown(),
        c.attempt(),
        c.fingerprint(),
        c.owner());
  }

  StoreCommand.Claim earlierUnknown(StoreCommand.Claim c, int attempt) {
    return new StoreCommand.Claim(
        c.id(),
        c.token(),
        c.key(),
        c.lease(),
        c.takeOver(),
        true,
        attempt,
        c.fingerprint(),
        c.owner());
  }

  StoreCommand.Claim fingerprint(StoreCommand.Claim c, int fingerprint) {
    return new StoreCommand.Claim(
        c.id(),
        c.token(),
        c.key(),
        c.lease(),
        c.takeOver(),
        c.earlierUnknown(),
        c.attempt(),
        fingerprint,
        c.owner());
  }

  StoreCommand done(String key, String token, String receipt) {
    return new StoreCommand.Settle(id(key), token(token), settlement(receipt));
  }

  static Settlement settlement(String receipt) {
    return Settlement.done(utf8(receipt), 0, EffectStoreContract.RETENTION);
  }

  StoreCommand rejected(String key, String token, String reason) {
    return new StoreCommand.Settle(
        id(key), token(token), Settlement.rejected(reason, 0, EffectStoreContract.RETENTION));
  }

  StoreCommand release(String key, String token) {
    return new StoreCommand.Release(id(key), token(token));
  }

  StoreCommand inDoubt(String key, String token) {
    return new StoreCommand.MarkInDoubt(id(key), token(token));
  }

  StoreCommand renew(String key, String token, Duration lease) {
    return new StoreCommand.Renew(id(key), token(token), lease);
  }

  StoreCommand resolve(String key, String receipt) {
    return new StoreCommand.Resolve(id(key), settlement(receipt));
  }
}
