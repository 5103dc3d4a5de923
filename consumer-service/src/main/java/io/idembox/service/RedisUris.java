package io.idembox.service;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What an address of Redis may hold: the client passes over what it does not know. */
final class RedisUris {
  private static final Set<String> PARAMETERS =
      new TreeSet<>(Set.of("clientName", "database", "sentinelMasterId", "verifyPeer"));

  private static final Map<String, String> REFUSED =
      Map.of("timeout", "set redis.command-timeout", "password", "set redis.password");

  private RedisUris() {}

  /** The rule that the address breaks, or null. Quotes nothing of it: it may hold a secret. */
  static @Nullable String brokenRule(String text) {
    if (!text.matches("rediss?(-sentinel)?://.+")) {
      return "must begin with redis://, rediss:// (TLS), redis-sentinel:// or rediss-sentinel://";
    }
    if (text.contains("@")) {
      return "must not hold user or password: set redis.user and redis.password";
    }
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      return "must be a URI such as redis://host:6379";
    }
    String path = uri.getPath();
    if (path != null && !path.matches("/?|/\\d{1,4}")) {
      return "must name the database by its number, such as redis://host:6379/1";
    }
    String query = uri.getRawQuery() == null ? "" : uri.getRawQuery();
    for (String parameter : query.isEmpty() ? new String[0] : query.split("&", -1)) {
      String broken = parameter(parameter.split("=", 2)[0]);
      if (broken != null) {
        return broken;
      }
    }
    boolean sentinel = uri.getScheme().endsWith("-sentinel");
    if (sentinel && uri.getFragment() == null && !query.contains("sentinelMasterId=")) {
      return "must name the master that the Sentinels watch: redis-sentinel://host:26379#master";
    }
    return !sentinel && uri.getFragment() != null
        ? "names a master after #, which means something for redis-sentinel:// only"
        : null;
  }

  private static @Nullable String parameter(String name) {
    String reason = REFUSED.get(name);
    if (reason != null) {
      return "has the parameter " + name + ", which is refused: " + reason;
    }
    return PARAMETERS.contains(name)
        ? null
        : "has a parameter that is unknown" + Spelling.hint(name, PARAMETERS);
  }
}
