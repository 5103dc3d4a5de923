package io.idembox.effect;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The Lua scripts, read from resources. Each runs as one atomic step of the server. */
// ImmutableEnumChecker wants an annotation on Text, for which we would need a dependency: nobody
// changes its fields, nor the bytes.
@SuppressWarnings("ImmutableEnumChecker")
enum RedisScript {
  CLAIM(false, "clock.lua", "claim_absent.lua", "read.lua", "record.lua", "claim.lua"),
  SETTLE(
      true, "read.lua", "settle_own.lua", "clock.lua", "record.lua", "settled.lua", "settle.lua"),
  CLAIM_ALL(false, "clock.lua", "claim_all.lua"),
  SETTLE_ALL(true, "settle_all.lua"),
  RELEASE(true, "read.lua", "clock.lua", "record.lua", "release.lua"),
  MARK_IN_DOUBT(true, "read.lua", "clock.lua", "record.lua", "mark_in_doubt.lua"),
  RENEW(true, "read.lua", "clock.lua", "record.lua", "renew.lua"),
  END_LEASE(true, "read.lua", "clock.lua", "record.lua", "end_lease.lua"),
  RESOLVE(true, "read.lua", "clock.lua", "record.lua", "settled.lua", "resolve.lua"),
  RESOLVE_NOT_DONE(true, "read.lua", "clock.lua", "record.lua", "resolve_not_done.lua"),
  FORGET(true, "read.lua", "clock.lua", "record.lua", "forget.lua"),
  MARKER(false, "marker.lua");

  // Redis 7 reads flags from a first line of this form; older servers take it for a syntax error.
  private static final String ALLOW_OOM = "#!lua flags=allow-oom\n";

  private final Text plain;
  private final Text allowOom;

  /** A script's source and the name that the server knows it by. */
  static final class Text {
    private final String source;
    private final String sha1;
    private final byte[] sha1Argument;

    private Text(String source, String sha1) {
      this.source = source;
      this.sha1 = sha1;
      this.sha1Argument = EvalArgs.argument(sha1.getBytes(StandardCharsets.US_ASCII));
    }

    String source() {
      return source;
    }

    String sha1() {
      return sha1;
    }

    /** The name as the protocol writes it; not to be changed. */
    byte[] sha1Argument() {
      return sha1Argument;
    }
  }

  RedisScript(boolean mayExceedMemory, String... parts) {
    StringBuilder source = new StringBuilder();
    for (String part : parts) {
      source.append(read(part));
    }
    plain = text(source.toString());
    allowOom = mayExceedMemory ? text(ALLOW_OOM + source) : plain;
  }

  /**
   * The form for a server.
   *
   * @param flags whether it knows script flags: then what ends a run is taken even where memory is
   *     full
   */
  Text text(boolean flags) {
    return flags ? allowOom : plain;
  }

  private static String read(String name) {
    try (InputStream in = RedisScript.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(
            "The script " + name + " is missing from effect-guard's jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The script " + name + " cannot be read from effect-guard's jar", e);
    }
  }

  private static Text text(String source) {
    byte[] bytes = source.getBytes(StandardCharsets.UTF_8);
    try {
      byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(bytes);
      return new Text(source, HexFormat.of().formatHex(sha1));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-1", e);
    }
  }
}
