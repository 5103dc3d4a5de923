package io.idembox.service;

import io.idembox.effect.RedisEffectStore;
import io.idembox.effect.StoreFinding;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connects to the Redis of the configuration. */
final class RedisStores {
  private static final Logger log = LoggerFactory.getLogger(RedisStores.class);

  private RedisStores() {}

  /**
   * Connects, where a Redis is configured. The caller closes it.
   *
   * @throws io.idembox.effect.EffectStoreException if it cannot be reached
   */
  static Optional<RedisEffectStore> connect(Settings settings) {
    return settings.find(Options.REDIS_URI).map(uri -> connect(settings, uri));
  }

  private static RedisEffectStore connect(Settings settings, String uri) {
    RedisEffectStore.Builder store =
        RedisEffectStore.builder(withCredentials(settings, uri))
            .commandTimeout(settings.get(Options.REDIS_COMMAND_TIMEOUT))
            .accept(settings.find(Options.REDIS_ACCEPT).orElse(List.of()).toArray(String[]::new));
    try {
      settings.group(RedisProperties.GROUP).forEach(store::clientProperty);
      settings
          .find(Options.SENTINEL_PASSWORD)
          .ifPresent(
              password ->
                  settings
                      .find(Options.SENTINEL_USER)
                      .ifPresentOrElse(
                          user -> store.sentinelCredentials(user, password),
                          () -> store.sentinelPassword(password)));
      settings.find(Options.REDIS_TRUSTED).map(Path::of).ifPresent(store::trustedCertificates);
      settings
          .find(Options.REDIS_CERTIFICATE)
          .ifPresent(
              certificate ->
                  store.clientCertificate(
                      Path.of(certificate), Path.of(settings.get(Options.REDIS_KEY))));
    } catch (IllegalArgumentException e) {
      throw Plugins.refused(settings, "redis", String.valueOf(e.getMessage()));
    }
    return store.connect();
  }

  /**
   * For the client alone: it is never shown, and the client's own errors name host and port only.
   */
  private static String withCredentials(Settings settings, String uri) {
    return settings
        .find(Options.REDIS_PASSWORD)
        .map(
            password ->
                uri.replaceFirst(
                    "://",
                    "://"
                        + java.util.regex.Matcher.quoteReplacement(
                            encoded(settings.find(Options.REDIS_USER).orElse(""))
                                + ":"
                                + encoded(password)
                                + "@")))
        .orElse(uri);
  }

  private static String encoded(String text) {
    // A plus is a plus in the user part of a URI.
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Refuses to run on a Redis that breaks a promise; logs what is merely weaker than it could be.
   *
   * @throws ServerException with every error and its remedy
   */
  static void refuseErrors(RedisEffectStore store) {
    StringBuilder errors = new StringBuilder();
    for (StoreFinding finding : store.check()) {
      switch (finding.severity()) {
        case INFO -> log.debug("{}", finding);
        case WARNING -> log.warn("{}", finding);
        case ERROR -> errors.append("\n  ").append(finding);
      }
    }
    if (errors.length() > 0) {
      throw new ServerException(
          "Redis cannot guard effects (redis.accept takes the codes of findings that are known):"
              + errors);
    }
  }
}
