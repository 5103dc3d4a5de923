package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.runtime.InboxHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jars and classes as people get them wrong; none needs a server. */
final class PluginsTest {
  private static final String BODY =
      " public void handle(io.idembox.runtime.InboxMessage<%1$s> m,"
          + " io.idembox.inbox.InboxTransaction tx) {} }";
  private static final String ROLE = " implements io.idembox.runtime.InboxHandler<%1$s> {";

  @TempDir private static Path folder;
  private static Path jar;

  @BeforeAll
  static void compile() throws Exception {
    Map<String, String> sources = new HashMap<>();
    sources.put("p/Gone.java", "package p; public class Gone {}");
    source(sources, "Good", "public class Good" + ROLE, "String");
    source(sources, "Abstract", "public abstract class Abstract" + ROLE, "String");
    source(sources, "Hidden", "class Hidden" + ROLE, "String");
    source(
        sources,
        "Two",
        "public class Two" + ROLE + "public Two() {} public Two(int i) {}",
        "String");
    source(
        sources,
        "Fails",
        "public class Fails"
            + ROLE
            + "{ fail(); } void fail() { throw new"
            + " IllegalStateException(\"a secret\"); }",
        "String");
    source(
        sources,
        "Starts",
        "public class Starts"
            + ROLE
            + "static int i = 1 / zero(); static int"
            + " zero() { return 0; }",
        "String");
    source(sources, "Asks", "public class Asks" + ROLE + "public Asks(Gone gone) {}", "String");
    source(sources, "Uses", "public class Uses" + ROLE + "public Uses() { new Gone(); }", "String");
    source(sources, "Takes", "public class Takes" + ROLE, "Gone");
    sources.put("org/slf4j/Own.java", "package org.slf4j; public class Own {}");
    jar = PluginJar.write(folder.resolve("all.jar"), sources);
    try (var zip = java.nio.file.FileSystems.newFileSystem(jar)) {
      Files.delete(zip.getPath("p/Gone.class"));
    }
  }

  private static void source(Map<String, String> sources, String name, String begin, String takes) {
    sources.put("p/" + name + ".java", "package p; " + (begin + BODY).formatted(takes));
  }

  @ParameterizedTest
  @CsvSource({
    "Absent, there is no class p.Absent",
    "Abstract, is abstract",
    "Hidden, must be public",
    "Two, 'must have one public constructor, not 2'",
    "Fails, failed with java.lang.IllegalStateException",
    "Starts, its static part failed with java.lang.ArithmeticException",
    "Asks, 'it needs p.Gone, which is in no jar'",
    "Uses, 'it needs p.Gone, which is in no jar'",
    "Takes, 'the handler takes p.Gone, which is in no jar'",
  })
  void aClassThatCannotBeMadeIsRefusedByKeyAndReason(String name, String reason) throws Exception {
    assertThatThrownBy(() -> make("p." + name))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("subscriptions[0].handler: ")
        .hasMessageContaining(reason)
        .message()
        .doesNotContain("a secret");
  }

  @Test
  void aClassForANewerJavaSaysWhichOneItNeeds() throws Exception {
    byte[] newer;
    try (var zip = java.nio.file.FileSystems.newFileSystem(jar)) {
      newer = Files.readAllBytes(zip.getPath("p/Good.class"));
    }
    newer[7] = 99;
    Path classes = Files.createDirectories(folder.resolve("newer"));
    Path copy = Files.copy(jar, classes.resolve("newer.jar"));
    try (var zip = java.nio.file.FileSystems.newFileSystem(copy)) {
      Files.write(zip.getPath("p/Good.class"), newer);
    }
    assertThatThrownBy(() -> make("p.Good", copy)).hasMessageContaining("compiled for Java 55");
  }

  @Test
  void allThatCannotBeMadeIsToldAtOnce() {
    assertThatThrownBy(() -> make("p.Absent", "effects: [{class: p.Good}]\n", jar))
        .hasMessageContaining("2 problems")
        .hasMessageContaining("class p.Good does not implement io.idembox.effect.Effect");
  }

  @Test
  void aClassInTwoJarsIsNotChosenByChance() throws Exception {
    Path copy = Files.copy(jar, Files.createDirectories(folder.resolve("two")).resolve("b.jar"));
    assertThatThrownBy(() -> make("p.Good", jar, copy))
        .hasMessageContaining("class p.Good is in all.jar and in b.jar");
  }

  @Test
  void aFileThatIsNoJarIsRefused() throws Exception {
    Path junk = Files.createDirectories(folder.resolve("junk")).resolve("junk.jar");
    Files.writeString(junk, "no jar");
    assertThatThrownBy(() -> make("p.Good", jar, junk))
        .hasMessageContaining("junk.jar is no jar, or is damaged");
  }

  @Test
  void threadsOfHandlersFindWhatTheirJarsBring() throws Exception {
    Settings settings = settings("p.Good", "", jar);
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (Plugins plugins = Plugins.of(settings, new SimpleMeterRegistry())) {
      ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
      Object handler = plugins.make("handler", "p.Good", InboxHandler.class, "config", Map.of());
      assertThat(handler.getClass().getClassLoader()).isSameAs(ofThread);
      assertThat(PluginClassLoader.sharedPackage("org/slf4j/Own.class")).isEqualTo("org.slf4j");
    }
    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
  }

  private static void make(String handler, Path... jars) throws Exception {
    make(handler, "", jars);
  }

  private static void make(String handler, String more, Path... jars) throws Exception {
    Settings settings = settings(handler, more, jars.length == 0 ? new Path[] {jar} : jars);
    try (Plugins plugins = Plugins.of(settings, new SimpleMeterRegistry())) {
      new ConsumerAssembly(settings, plugins).make(new ArrayList<>(), new ArrayList<>());
    }
  }

  private static Settings settings(String handler, String more, Path... jars) throws Exception {
    Path plugins = Files.createTempDirectory(folder, "plugins");
    for (Path one : jars) {
      Files.copy(one, plugins.resolve(one.getFileName()));
    }
    Path file = plugins.resolve("idembox.yaml");
    List<String> lines =
        Arrays.asList(
            "consumer.name: billing",
            "kafka.bootstrap.servers: broker:9092",
            "postgres.url: jdbc:postgresql://db/app",
            "redis.uri: redis://cache:6379",
            "plugins.folder: '" + plugins + "'",
            "subscriptions: [{topics: [orders], handler: " + handler + "}]",
            more);
    Files.write(file, lines);
    return ConfigurationLoader.load(file, Map.of(), Map.of());
  }
}
