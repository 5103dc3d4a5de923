package io.idembox.service;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Compiles plug-ins, so that they are in a jar and not on the class path of the tests. */
final class PluginJar {
  /**
   * A handler that writes what it was given, and an effect that notes it in a database of its own.
   */
  static final Map<String, String> BOOKING =
      Map.of(
          "plugged/Order.java",
          "package plugged; public record Order(String id) {}",
          "plugged/Booking.java",
          """
          package plugged;
          import io.idembox.effect.EffectKey;
          import io.idembox.inbox.InboxTransaction;
          import io.idembox.runtime.InboxHandler;
          import io.idembox.runtime.InboxMessage;
          import io.micrometer.core.instrument.MeterRegistry;
          public final class Booking implements InboxHandler<Order> {
            public record Config(String currency, boolean failing) {}
            private final Config config;
            private final MeterRegistry meters;
            public Booking(Config config, MeterRegistry meters) { this.config = config; this.meters = meters; }
            @Override public void handle(InboxMessage<Order> message, InboxTransaction tx) {
              String id = message.value().id();
              if (config.failing()) { throw new IllegalStateException("as configured"); }
              tx.handle().execute("insert into ledger values (?, ?)", id, config.currency());
              tx.effects().afterCommit(Note.NAME, EffectKey.of("note").id(id), id);
              meters.counter("plugged.booked").increment();
            }
          }
          """,
          "plugged/Note.java",
          """
          package plugged;
          import io.idembox.effect.*;
          import java.sql.Connection;
          import javax.sql.DataSource;
          public final class Note implements Effect<String, String>, AutoCloseable {
            public static final EffectName<String, String> NAME = EffectName.of("note", String.class, String.class);
            private final DataSource own;
            public Note(DataSource own) { this.own = own; }
            @Override public EffectName<String, String> name() { return NAME; }
            @Override public String perform(String id, EffectAttempt attempt) throws Exception {
              try (Connection c = own.getConnection(); var insert = c.prepareStatement("insert into sent values (?)")) {
                insert.setString(1, id);
                insert.executeUpdate();
              }
              return id;
            }
            @Override public void close() { System.out.println("Note is closed"); }
          }
          """);

  private PluginJar() {}

  /** Compiles sources, by file name, into a jar. */
  static Path write(Path jar, Map<String, String> sources) throws IOException {
    Path work = Files.createTempDirectory(jar.getParent(), "classes");
    List<String> files =
        new TreeMap<>(sources)
            .entrySet().stream()
                .map(
                    entry -> {
                      try {
                        Path file = work.resolve(entry.getKey());
                        Files.createDirectories(file.getParent());
                        return Files.writeString(file, entry.getValue()).toString();
                      } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                      }
                    })
                .toList();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String[] arguments =
        Stream.concat(
                Stream.of(
                    "-proc:none",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-d",
                    work.resolve("out").toString()),
                files.stream())
            .toArray(String[]::new);
    if (compiler.run(null, null, null, arguments) != 0) {
      throw new IllegalStateException("The plug-in of the test does not compile");
    }
    Path out = work.resolve("out");
    try (OutputStream stream = Files.newOutputStream(jar);
        JarOutputStream target = new JarOutputStream(stream);
        Stream<Path> classes = Files.walk(out)) {
      for (Path file : classes.filter(Files::isRegularFile).toList()) {
        target.putNextEntry(new JarEntry(out.relativize(file).toString().replace('\\', '/')));
        Files.copy(file, target);
        target.closeEntry();
      }
    }
    return jar;
  }
}
