package io.idembox.effect.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.idembox.effect.RedisEffectStore;
import io.idembox.testkit.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The guard's figures beside plain Redis commands in the same run. Arguments: {@code [--redis URI]
 * [--json FILE] [--quick] [--latency] [--cpu]}; without a URI it starts a server of its own, in
 * memory. The server must be empty but for this run. With {@code --latency} only one caller's calls
 * are measured, which takes twenty seconds; with {@code --cpu} only the processor's time.
 */
public final class GuardBenchmark {
  private GuardBenchmark() {}

  public static void main(String... args) throws IOException {
    String uri = null;
    Path json = null;
    boolean quick = false;
    boolean latency = false;
    boolean cpu = false;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--redis" -> uri = args[++i];
        case "--json" -> json = Path.of(args[++i]);
        case "--quick" -> quick = true;
        case "--latency" -> latency = true;
        case "--cpu" -> cpu = true;
        default ->
            throw new IllegalArgumentException(
                "Unknown argument "
                    + args[i]
                    + "; known: --redis, --json, --quick, --latency, --cpu");
      }
    }
    Map<String, Object> figures;
    if (uri != null) {
      figures = run(uri, quick, latency, cpu);
    } else {
      try (EmbeddedRedis redis = EmbeddedRedis.builder().inMemory().start()) {
        figures = run(redis.uri(), quick, latency, cpu);
      }
    }
    String text =
        new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(figures);
    System.out.println(text);
    if (json != null) {
      Files.writeString(json, text + "\n");
    }
  }

  private static Map<String, Object> run(
      String uri, boolean quick, boolean onlyLatency, boolean onlyCpu) {
    Map<String, Object> figures = new LinkedHashMap<>();
    try (RedisEffectStore store =
            RedisEffectStore.builder(uri).commandTimeout(Duration.ofSeconds(5)).connect();
        PlainRedis plain = new PlainRedis(uri)) {
      figures.put("redis", plain.version());
      figures.put("java", Runtime.version().feature());
      figures.put("processors", Runtime.getRuntime().availableProcessors());
      if (!onlyCpu) {
        new LatencyFigures(store, plain).measure(quick ? 30 : 200, figures);
      }
      if (!onlyLatency) {
        new CpuFigures(store, plain).measure(quick ? 40 : 600, figures);
      }
      if (!onlyLatency && !onlyCpu) {
        new BulkFigures(store, plain).measure(quick ? 20 : 200, figures);
        new MemoryFigures(store, plain).measure(quick ? 100_000 : 1_000_000, figures);
      }
    }
    return figures;
  }
}
