package io.idembox.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.effect.EffectException;
import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxException;
import io.idembox.runtime.InboxConsumer;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.eclipse.jetty.server.handler.QoSHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health, metrics, and what an operator does on a running service. What is changed goes through the
 * same classes as the commands, and is audited.
 */
final class HttpApi implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpApi.class);
  static final String JSON = "application/json; charset=utf-8";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
  private static final long LARGEST_BODY = 64 * 1024;
  // Slow callers and stores that are away hold some of them: enough must be left for probes.
  private static final int THREADS = 32;
  private static final int MOST_AT_ONCE = 16;
  private static final Duration IDLE = Duration.ofSeconds(20);
  private static final int MOST_LISTED = 1_000;

  private final Settings settings;
  private final Health health;
  private final PrometheusMeterRegistry meters;
  private final InboxConsumer consumer;
  private final Stores stores;
  private final Javalin server;

  private HttpApi(
      Settings settings,
      Health health,
      PrometheusMeterRegistry meters,
      InboxConsumer consumer,
      Stores stores) {
    this.settings = settings;
    this.health = health;
    this.meters = meters;
    this.consumer = consumer;
    this.stores = stores;
    this.server = Javalin.create(this::configure);
  }

  /**
   * Listens.
   *
   * @throws ServerException if the address cannot be had
   */
  static HttpApi start(
      Settings settings,
      Health health,
      PrometheusMeterRegistry meters,
      InboxConsumer consumer,
      Stores stores) {
    HttpApi api = new HttpApi(settings, health, meters, consumer, stores);
    String host = settings.get(Options.HTTP_HOST);
    int port = settings.get(Options.HTTP_PORT);
    try {
      api.server.start(host, port);
    } catch (RuntimeException e) {
      throw new ServerException(
          "http.host and http.port: cannot listen on " + host + ":" + port + "; is it taken?", e);
    }
    log.info(
        "HTTP on {}:{}; /api {}",
        host,
        api.port(),
        settings.find(Options.HTTP_TOKEN).isPresent()
            ? "needs the token"
            : "is not served: http.token is not set");
    return api;
  }

  int port() {
    return server.port();
  }

  private void configure(JavalinConfig config) {
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.http.maxRequestSize = LARGEST_BODY;
    config.http.asyncTimeout = IDLE.toMillis();
    config.http.prefer405over404 = true;
    config.jetty.modifyServer(
        jetty -> {
          jetty.setErrorHandler(new HttpErrors());
          jetty.setHandler(fewAtOnce());
        });
    config.jetty.threadPool = new QueuedThreadPool(THREADS, 2, (int) IDLE.toMillis());
    config.jetty.modifyHttpConfiguration(
        http -> {
          http.setIdleTimeout(IDLE.toMillis());
          http.setSendServerVersion(false);
          http.setRequestHeaderSize(8 * 1024);
        });
    RoutesConfig routes = config.routes;
    routes.get("/health/live", context -> probe(context, health.live()));
    routes.get("/health/started", context -> probe(context, health.started()));
    routes.get("/health/ready", context -> probe(context, health.ready()));
    routes.get("/metrics", context -> context.contentType(PROMETHEUS).result(meters.scrape()));
    routes.before("/api/*", this::authorize);
    reading(routes);
    changing(routes);
    routes.exception(HttpResponseException.class, HttpApi::failed);
    routes.exception(Exception.class, HttpApi::failed);
  }

  /**
   * Bounds those under way that may hold a thread: whose body has not come yet, or whose answer
   * nobody takes. Others wait without one. An answer to a probe is small: Jetty keeps it, and the
   * thread is free, whether it is taken or not.
   */
  private static QoSHandler fewAtOnce() {
    QoSHandler bound = new QoSHandler();
    bound.setMaxRequestCount(MOST_AT_ONCE);
    bound.setMaxSuspend(IDLE);
    bound.excludePath("/health/*");
    return bound;
  }

  private void reading(RoutesConfig routes) {
    routes.get("/api/status", context -> answer(context, status()));
    routes.get("/api/report", context -> answer(context, StatusReport.of(stores)));
    routes.get("/api/inbox/stats", context -> answer(context, new InboxActions(stores).stats()));
    routes.get(
        "/api/dead-letters",
        context ->
            answer(
                context,
                new LetterOperations(stores)
                    .list(
                        DeadLettersCommand.states(context.queryParam("state")),
                        number(context, "after", 0),
                        limit(context))));
    routes.get(
        "/api/dead-letters/{id}",
        context -> answer(context, new LetterOperations(stores).show(id(context))));
    routes.get(
        "/api/effects",
        context ->
            answer(
                context,
                new EffectActions(stores)
                    .list(
                        EffectsCommand.states(context.queryParam("state")),
                        number(context, "after", 0),
                        limit(context))));
    routes.get(
        "/api/effects/{operation}",
        context -> answer(context, new EffectActions(stores).show(key(context))));
  }

  private void changing(RoutesConfig routes) {
    routes.post(
        "/api/partitions/{topic}/{partition}/pause",
        context -> {
          String topic = context.pathParam("topic");
          int partition = whole(number(context.pathParam("partition"), "partition"), "partition");
          String why = text(body(context), "why");
          audited(
              context,
              "partitions pause",
              topic + "-" + partition + ": " + why,
              () -> {
                if (!consumer.pause(topic, partition, who(context) + ": " + why)) {
                  throw new NotPossibleException(
                      topic + "-" + partition + " is not assigned to this member: ask another one");
                }
                return Map.of(
                    "paused",
                    topic + "-" + partition,
                    "until",
                    "it is resumed, this process ends, or the partition goes to another member,"
                        + " which reads on");
              });
        });
    routes.post(
        "/api/partitions/{topic}/{partition}/resume",
        context -> {
          String topic = context.pathParam("topic");
          int partition = whole(number(context.pathParam("partition"), "partition"), "partition");
          audited(
              context,
              "partitions resume",
              topic + "-" + partition,
              () -> {
                if (!consumer.resume(topic, partition)) {
                  throw new NotPossibleException(
                      topic + "-" + partition + " is not paused on this member");
                }
                return Map.of("resumed", topic + "-" + partition);
              });
        });
    routes.post(
        "/api/dead-letters/{id}/discard",
        context -> {
          String why = text(body(context), "why");
          long id = id(context);
          audited(
              context,
              "dead-letters discard",
              id + ": " + why,
              () -> {
                LetterOperations.Decided decided =
                    new LetterOperations(stores)
                        .discard(List.of(id), who(context) + ": " + why)
                        .get(0);
                if (!decided.done()) {
                  throw new NotPossibleException("dead letter " + id + " " + decided.detail());
                }
                return decided;
              });
        });
    routes.post(
        "/api/dead-letters/{id}/retry",
        context -> {
          long id = id(context);
          audited(
              context,
              "dead-letters retry",
              String.valueOf(id),
              () -> new LetterRetries(consumer).retry(id));
        });
    routes.post(
        "/api/effects/{operation}/resolve",
        context -> {
          JsonNode body = body(context);
          EffectKey key = key(context);
          String by = who(context) + ": " + text(body, "why");
          if (!body.path("done").isBoolean()) {
            throw new IllegalArgumentException("'done' must be true or false");
          }
          boolean done = body.get("done").asBoolean();
          String receipt = body.has("receipt") ? body.get("receipt").toString() : null;
          audited(
              context,
              "effects resolve " + (done ? "done" : "not done"),
              key.toString(),
              () -> {
                EffectActions.Decided decided =
                    done
                        ? new EffectActions(stores).resolveDone(key, receipt, by)
                        : new EffectActions(stores).resolveNotDone(key, by);
                // What waited for the decision goes on at once, here where its handler is.
                LetterRetries retries = new LetterRetries(consumer);
                return new Resolved(
                    decided, decided.releasedLetters().stream().map(retries::retry).toList());
              });
        });
    routes.post(
        "/api/effects/{operation}/forget",
        context -> {
          EffectKey key = key(context);
          audited(
              context,
              "effects forget",
              key.toString(),
              () -> new EffectActions(stores).forget(key));
        });
  }

  /** A decision, and what came of the dead letters that waited for it. */
  record Resolved(EffectActions.Decided decision, List<LetterRetries.Retried> letters) {}

  private MemberStatus status() {
    try {
      return MemberStatus.of(consumer.status());
    } catch (IllegalStateException e) {
      // That is how it says "not started".
      throw new NotPossibleException("the consumer has not started yet");
    }
  }

  private void audited(Context context, String action, String target, Supplier<?> change) {
    answer(context, new Audit(stores, Audit.Via.API, who(context)).record(action, target, change));
  }

  /** The token tells that somebody may; who it is, they say themselves. */
  private static String who(Context context) {
    String said = context.header("X-Operator");
    return (said == null || said.isBlank() ? "unnamed" : said) + " at " + context.ip();
  }

  private void authorize(Context context) {
    Optional<String> token = settings.find(Options.HTTP_TOKEN);
    if (token.isEmpty()) {
      throw new HttpResponseException(
          403, "the API is not served: http.token is not set", Map.of());
    }
    String given = context.header("Authorization");
    // In constant time: how long a refusal takes must not tell how much of the token was right.
    if (given == null
        || !MessageDigest.isEqual(
            given.getBytes(StandardCharsets.UTF_8),
            ("Bearer " + token.get()).getBytes(StandardCharsets.UTF_8))) {
      throw new HttpResponseException(
          401, "the token is missing or wrong: Authorization: Bearer TOKEN", Map.of());
    }
  }

  private static void probe(Context context, Health.Answer answer) {
    answer(context.status(answer.up() ? 200 : 503), answer);
  }

  private static void answer(Context context, Object answer) {
    context.contentType(JSON).result(Json.pretty(answer) + "\n");
  }

  /** Says what is wrong, and nothing about the inside. */
  private static void failed(Exception failure, Context context) {
    int status;
    String text = String.valueOf(failure.getMessage());
    if (failure instanceof HttpResponseException refused) {
      status = refused.getStatus();
    } else if (failure instanceof IllegalArgumentException) {
      status = 400;
    } else if (failure instanceof NotPossibleException) {
      status = 409;
    } else if (failure instanceof ServerException
        || failure instanceof InboxException
        || failure instanceof EffectException
        || failure instanceof KafkaException) {
      status = 503;
    } else {
      log.error("{} {} failed", context.method(), context.path(), failure);
      status = 500;
      text = "a defect; see the log";
    }
    answer(context.status(status), Map.of("error", text));
  }

  private static JsonNode body(Context context) {
    try {
      JsonNode body = Json.MAPPER.readTree(context.body());
      if (body == null || !body.isObject()) {
        throw new IllegalArgumentException("the body must be a JSON object");
      }
      return body;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("the body is not JSON", e);
    }
  }

  private static String text(JsonNode body, String name) {
    String text = body.path(name).asText();
    if (text.isBlank()) {
      throw new IllegalArgumentException("'" + name + "' is missing");
    }
    return text;
  }

  private static long id(Context context) {
    return number(context.pathParam("id"), "id");
  }

  private static int limit(Context context) {
    long limit = number(context, "limit", 100);
    if (limit < 1 || limit > MOST_LISTED) {
      throw new IllegalArgumentException("limit must be 1 to " + MOST_LISTED);
    }
    return (int) limit;
  }

  private static long number(Context context, String name, long otherwise) {
    String given = context.queryParam(name);
    return given == null ? otherwise : number(given, name);
  }

  private static long number(@Nullable String text, String name) {
    try {
      return Long.parseLong(String.valueOf(text));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " must be a whole number", e);
    }
  }

  /** As it is, and not its lower half: that would be another one. */
  private static int whole(long number, String name) {
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(name + " must be 0 to " + Integer.MAX_VALUE);
    }
    return (int) number;
  }

  private static EffectKey key(Context context) {
    return KeyView.key(
        context.pathParam("operation"),
        whole(number(context, "version", 1), "version"),
        context.queryParam("tenant"),
        context.queryParams("part"));
  }

  /** Stops listening; requests under way get a moment. */
  @Override
  public void close() {
    server.stop();
  }
}
