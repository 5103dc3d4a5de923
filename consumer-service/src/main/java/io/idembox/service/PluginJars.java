package io.idembox.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The jars of the plug-ins' folder, in the order of their names. */
final class PluginJars {
  private static final Logger log = LoggerFactory.getLogger(PluginJars.class);

  private final List<Path> jars;

  private PluginJars(List<Path> jars) {
    this.jars = jars;
  }

  /**
   * Looks into each jar.
   *
   * @param folder of which there may be none
   * @throws ConfigurationException if one is no jar, which the class loader would pass over
   */
  static PluginJars in(Path folder, Settings settings) {
    if (!Files.isDirectory(folder)) {
      return new PluginJars(List.of());
    }
    List<Path> jars;
    try (Stream<Path> files = Files.list(folder)) {
      jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("The folder of plug-ins cannot be read: " + folder, e);
    }
    for (Path jar : jars) {
      String wrong = look(jar);
      if (wrong != null) {
        throw Plugins.refused(settings, Options.PLUGINS_FOLDER.key(), jar + wrong);
      }
    }
    log.info("Plug-ins: {} jars in {}", jars.size(), folder.toAbsolutePath());
    return new PluginJars(jars);
  }

  private static @Nullable String look(Path jar) {
    TreeSet<String> shared = new TreeSet<>();
    try (JarFile open = new JarFile(jar.toFile())) {
      open.stream()
          .map(entry -> PluginClassLoader.sharedPackage(entry.getName()))
          .filter(name -> !name.isEmpty())
          .forEach(shared::add);
    } catch (ZipException e) {
      return " is no jar, or is damaged";
    } catch (IOException e) {
      return " cannot be read: " + e.getClass().getSimpleName();
    }
    if (!shared.isEmpty()) {
      log.warn(
          "{} brings classes of {}: those of the service are used, in its versions. Build the jar"
              + " without them.",
          jar.getFileName(),
          String.join(", ", shared));
    }
    return null;
  }

  /** The names of those that hold the class. */
  List<String> with(String className) {
    List<String> found = new ArrayList<>();
    for (Path jar : jars) {
      try (JarFile open = new JarFile(jar.toFile())) {
        if (open.getEntry(className.replace('.', '/') + ".class") != null) {
          found.add(String.valueOf(jar.getFileName()));
        }
      } catch (IOException e) {
        throw new UncheckedIOException("A jar of the plug-ins cannot be read: " + jar, e);
      }
    }
    return found;
  }

  URL[] urls() {
    return jars.stream().map(PluginJars::url).toArray(URL[]::new);
  }

  private static URL url(Path jar) {
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException("A file has no URL: " + jar, e);
    }
  }
}
