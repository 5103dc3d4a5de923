package io.idembox.service;

import io.idembox.effect.RedisEffectStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Properties that are handed on to the Redis client. */
final class RedisProperties {
  static final OptionGroup GROUP =
      new OptionGroup(
          "redis.lettuce",
          RedisEffectStore.Builder.clientProperties(),
          refused(),
          (name, value) ->
              RedisEffectStore.Builder.clientProperties().contains(name)
                  ? RedisEffectStore.Builder.brokenRule(name, value).orElse(null)
                  : null,
          Set.of(),
          "A property of the Redis client Lettuce, by its name: connectTimeout, requestQueueSize and"
              + " others.");

  private RedisProperties() {}

  private static Map<String, String> refused() {
    Map<String, String> refused = new LinkedHashMap<>();
    refused.put("timeout", "set redis.command-timeout");
    refused.put("timeoutOptions", "set redis.command-timeout");
    refused.put("autoReconnect", "a guard that does not come back stops its effects for good");
    refused.put(
        "disconnectedBehavior", "while it is away an effect must not wait for it, nor run without");
    refused.put(
        "replayFilter", "a command must not be sent again when nobody waits for its answer");
    refused.put("readFrom", "a replica may not know yet what is done");
    refused.put("sslOptions", "set redis.trusted-certificates and redis.client-certificate");
    return Map.copyOf(refused);
  }
}
