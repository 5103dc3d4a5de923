package io.idembox.service;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/**
 * Classes of the plug-ins' jars, before those of the service: a plug-in may bring its own version
 * of a library. What handlers and service hand to each other is taken from the service alone, for
 * the same class loaded twice is two types.
 */
final class PluginClassLoader extends URLClassLoader {
  private static final List<String> SHARED =
      List.of(
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "io.idembox.",
          "com.fasterxml.jackson.",
          "io.micrometer.",
          "io.opentelemetry.",
          "org.apache.kafka.",
          "org.jdbi.",
          "org.jspecify.",
          "org.postgresql.",
          "org.slf4j.");

  static {
    registerAsParallelCapable();
  }

  PluginClassLoader(URL[] jars, ClassLoader service) {
    super("idembox-plugins", jars, service);
  }

  /**
   * The library that is taken from the service alone and that a jar's entry is part of; empty for
   * others. What a JVM brings may be in a jar, and is used where the JVM does not know it.
   */
  static String sharedPackage(String entry) {
    return entry.endsWith(".class")
        ? SHARED.stream()
            .filter(prefix -> !prefix.startsWith("java") && !prefix.startsWith("io.idembox."))
            .filter(prefix -> entry.startsWith(prefix.replace('.', '/')))
            .findFirst()
            .map(prefix -> prefix.substring(0, prefix.length() - 1))
            .orElse("")
        : "";
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (SHARED.stream().anyMatch(name::startsWith)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
        try {
          loaded = findClass(name);
        } catch (ClassNotFoundException e) {
          loaded = super.loadClass(name, false);
        }
      }
      if (resolve) {
        resolveClass(loaded);
      }
      return loaded;
    }
  }

  @Override
  public URL getResource(String name) {
    URL own = findResource(name);
    return own != null ? own : super.getResource(name);
  }
}
