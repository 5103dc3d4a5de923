package io.idembox.effect;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks Redis about what would break a promise. */
final class RedisCheck {
  private final RedisLink link;
  private final Duration commandTimeout;

  RedisCheck(RedisLink link, Duration commandTimeout) {
    this.link = link;
    this.commandTimeout = commandTimeout;
  }

  List<StoreFinding> findings() {
    try {
      link.async().ping().get(commandTimeout.toMillis() * 2, TimeUnit.MILLISECONDS);
      return List.of();
    } catch (ExecutionException | TimeoutException e) {
      throw RedisErrors.of(e, link.where());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RedisErrors.of(e, link.where());
    }
  }
}
