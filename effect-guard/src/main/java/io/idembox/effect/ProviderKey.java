package io.idembox.effect;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * The text that a provider knows an effect by: from namespace, key and generation alone, so every
 * process makes the same.
 */
final class ProviderKey {
  private static final String PREFIX = "ib-";
  private static final int BYTES = 20;

  private ProviderKey() {}

  static String of(EffectId id, int generation) {
    MessageDigest sha = EffectKeyHash.sha256();
    sha.update(id.hash().raw());
    byte[] digest = sha.digest(ByteBuffer.allocate(4).putInt(generation).array());
    return PREFIX + HexFormat.of().formatHex(digest, 0, BYTES);
  }
}
