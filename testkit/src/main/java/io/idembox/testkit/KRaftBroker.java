package io.idembox.testkit;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker that is its own controller, inside this process. */
final class KRaftBroker implements KafkaBackend {
  private static final Logger LOG = LoggerFactory.getLogger(KRaftBroker.class);

  private final TempFolder folder = TempFolder.create("kafka");
  private final int port = FreePorts.next();
  private final Map<String, String> settings;
  private @Nullable KafkaRaftServer server;

  /** Formats and starts it. */
  KRaftBroker(Map<String, String> properties) {
    this(properties, List.of());
  }

  /**
   * The same with a second listener on a port of its own that tells clients to come by way of
   * another port.
   */
  KRaftBroker(Map<String, String> properties, int relayed, int advertised) {
    this(
        properties, List.of("RELAYED://127.0.0.1:" + relayed, "RELAYED://127.0.0.1:" + advertised));
  }

  private KRaftBroker(Map<String, String> properties, List<String> secondListener) {
    this.settings = settings(properties, port, FreePorts.next(), folder.path().resolve("log"));
    if (!secondListener.isEmpty()) {
      settings.merge("listeners", secondListener.get(0), KRaftBroker::listed);
      settings.merge("advertised.listeners", secondListener.get(1), KRaftBroker::listed);
      settings.merge("listener.security.protocol.map", "RELAYED:PLAINTEXT", KRaftBroker::listed);
      settings.put("inter.broker.listener.name", "PLAINTEXT");
    }
    try {
      stayInThisProcess();
      ServerLogging.quieten();
      format();
      start();
    } catch (RuntimeException | Error e) {
      folder.close();
      throw e;
    }
  }

  private static Map<String, String> settings(
      Map<String, String> properties, int port, int controllerPort, Path log) {
    String broker = "PLAINTEXT://127.0.0.1:" + port;
    Map<String, String> settings = new HashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put("listeners", broker + ",CONTROLLER://127.0.0.1:" + controllerPort);
    settings.put("advertised.listeners", broker);
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("log.dirs", log.toString());
    // One segment's index files are made at full size; with hundreds of test topics that adds up.
    settings.put("log.index.size.max.bytes", "1048576");
    settings.put("log.cleaner.dedupe.buffer.size", "2097152");
    settings.putAll(properties);
    return settings;
  }

  private static String listed(String one, String more) {
    return one + "," + more;
  }

  // A broker that meets a fatal fault would end the tests' JVM with it, and no test could say what
  // happened.
  private static void stayInThisProcess() {
    Exit.setExitProcedure(KRaftBroker::refuseToExit);
    Exit.setHaltProcedure(KRaftBroker::refuseToExit);
  }

  private static void refuseToExit(int status, @Nullable String message) {
    String fact = "The embedded Kafka broker asked to end the process with status " + status;
    LOG.error("{}{}", fact, message == null ? "" : ": " + message);
    throw new TestkitException(fact);
  }

  private void format() {
    Path file = folder.path().resolve("server.properties");
    Properties properties = new Properties();
    properties.putAll(settings);
    try (Writer writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    } catch (IOException e) {
      throw new ServerStartException("Kafka did not start: cannot write " + file, e);
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    String[] arguments = {
      "format", "--config", file.toString(), "--cluster-id", Uuid.randomUuid().toString()
    };
    try (PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
      int status = StorageTool.execute(arguments, out);
      if (status != 0) {
        throw new ServerStartException(
            "Kafka did not start: format: " + said.toString(StandardCharsets.UTF_8));
      }
    } catch (ServerStartException e) {
      throw e;
    } catch (Exception e) { // Scala declares nothing; argument errors come as checked exceptions.
      throw new ServerStartException("Kafka did not start: format: " + e.getMessage(), e);
    }
  }

  @Override
  public String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  @Override
  public Path dataDirectory() {
    return Path.of(requireNonNull(settings.get("log.dirs")));
  }

  @Override
  public void start() {
    if (server != null) {
      return;
    }
    KafkaRaftServer starting = null;
    try {
      starting = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
      starting.startup();
      server = starting;
    } catch (RuntimeException | Error e) {
      if (starting != null) {
        starting.shutdown();
      }
      throw new ServerStartException("Kafka did not start on port " + port + ": " + e, e);
    }
  }

  @Override
  public void stop() {
    if (server != null) {
      server.shutdown();
      server.awaitShutdown();
      server = null;
    }
  }

  @Override
  public void close() {
    stop();
    folder.close();
  }
}
