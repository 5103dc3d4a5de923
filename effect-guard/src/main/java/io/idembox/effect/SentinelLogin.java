package io.idembox.effect;

import static java.util.Objects.requireNonNull;

import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;

/**
 * Who we are to the Sentinels, whose users are not those of the servers they watch.
 *
 * @param user null for the default user
 */
record SentinelLogin(@Nullable String user, String password) {
  SentinelLogin {
    requireNonNull(password, "password");
  }

  void applyTo(RedisURI sentinel) {
    if (user == null) {
      sentinel.setAuthentication(password);
    } else {
      sentinel.setAuthentication(user, password);
    }
  }

  @Override
  public String toString() {
    return "SentinelLogin of " + (user == null ? "the default user" : user);
  }
}
