package io.idembox.service;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes handlers, effects and deserializers by the names of their classes. Closes what it made, in
 * the reverse order. Not thread-safe.
 */
final class Plugins implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Plugins.class);
  private static final String DEFAULT_FOLDER = "plugins";
  private static final Pattern CLASS_FILE = Pattern.compile("class file version (\\d+)");

  // A key that the plug-in does not know is a slip, as everywhere in the file.
  private static final JsonMapper BINDER =
      JsonMapper.builder()
          .findAndAddModules()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();

  private final Settings settings;
  private final MeterRegistry meters;
  private final PluginJars jars;
  private final PluginClassLoader loader;
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();
  private final Deque<AutoCloseable> made = new ArrayDeque<>();
  private @Nullable DataSource dataSource;

  private Plugins(Settings settings, MeterRegistry meters, PluginJars jars) {
    this.settings = settings;
    this.meters = meters;
    this.jars = jars;
    this.loader = new PluginClassLoader(jars.urls(), Plugins.class.getClassLoader());
  }

  /**
   * Finds the jars; loads nothing yet. Until they are closed, the calling thread and those that it
   * starts look for classes among them: libraries that handlers and effects bring, and Kafka for
   * what its properties name, ask the thread.
   *
   * @throws ConfigurationException if a folder is named that is not there
   */
  static Plugins of(Settings settings, MeterRegistry meters) {
    Path folder = Path.of(settings.find(Options.PLUGINS_FOLDER).orElse(DEFAULT_FOLDER));
    if (!Files.isDirectory(folder) && settings.find(Options.PLUGINS_FOLDER).isPresent()) {
      String key = Options.PLUGINS_FOLDER.key();
      throw refused(settings, key, "there is no folder " + folder.toAbsolutePath());
    }
    Plugins plugins = new Plugins(settings, meters, PluginJars.in(folder, settings));
    Thread.currentThread().setContextClassLoader(plugins.loader);
    return plugins;
  }

  /**
   * For commands that make no handler: as {@link #of}, where there is a folder, and where the
   * thread has no plug-ins yet.
   */
  static Optional<Plugins> ofThread(Settings settings) {
    Path folder = Path.of(settings.find(Options.PLUGINS_FOLDER).orElse(DEFAULT_FOLDER));
    return Thread.currentThread().getContextClassLoader() instanceof PluginClassLoader
            || !Files.isDirectory(folder)
        ? Optional.empty()
        : Optional.of(of(settings, new SimpleMeterRegistry()));
  }

  /**
   * The class of this name.
   *
   * @param key that names it, for refusals
   * @throws ConfigurationException if there is none, or it cannot be loaded
   */
  Class<?> load(String key, String name) {
    List<String> holders = jars.with(name);
    if (holders.size() > 1) {
      throw refused(
          settings,
          key,
          "class "
              + name
              + " is in "
              + String.join(" and in ", holders)
              + "; which of them counts would be chance: remove one");
    }
    try {
      return Class.forName(name, true, loader);
    } catch (ClassNotFoundException e) {
      throw refused(
          settings,
          key,
          "there is no class "
              + name
              + " in the "
              + jars.urls().length
              + " jars of the plug-ins folder, nor on the class path");
    } catch (LinkageError e) {
      throw refused(settings, key, "class " + name + " cannot be loaded: " + reason(e));
    }
  }

  /** Of a class that cannot be linked: never a message of the plug-in's own. */
  private static String reason(Throwable e) {
    if (e instanceof UnsupportedClassVersionError) {
      Matcher version = CLASS_FILE.matcher(String.valueOf(e.getMessage()));
      return version.find()
          ? "it is compiled for Java "
              + (Integer.parseInt(version.group(1)) - 44)
              + ", and this is Java "
              + Runtime.version().feature()
          : "it is compiled for a newer Java than this one";
    }
    if (e instanceof NoClassDefFoundError) {
      return "it needs "
          + String.valueOf(e.getMessage()).replace('/', '.')
          + ", which is in no jar of the plug-ins folder, or cannot be loaded itself";
    }
    return e instanceof ExceptionInInitializerError && e.getCause() != null
        ? "its static part failed with " + e.getCause().getClass().getName()
        : e.toString();
  }

  /**
   * Makes an instance.
   *
   * @param config the section for its constructor
   * @throws ConfigurationException if it cannot be made
   */
  <T> T make(String key, String name, Class<T> role, String configKey, Map<String, String> config) {
    Class<?> type = load(key, name);
    if (!role.isAssignableFrom(type)) {
      throw refused(settings, key, "class " + name + " does not implement " + role.getName());
    }
    T instance = role.cast(construct(key, type, configKey, config));
    if (instance instanceof AutoCloseable closeable) {
      made.push(closeable);
    }
    return instance;
  }

  private Object construct(
      String key, Class<?> type, String configKey, Map<String, String> config) {
    Constructor<?> constructor = onlyConstructor(key, type);
    List<Object> arguments = new ArrayList<>();
    boolean configTaken = false;
    for (Parameter parameter : constructor.getParameters()) {
      Class<?> wanted = parameter.getType();
      configTaken |= wanted == Map.class || wanted.isRecord();
      arguments.add(argument(key, type, parameter, configKey, config));
    }
    if (!configTaken && !config.isEmpty()) {
      throw refused(
          settings,
          configKey,
          "is not read: the constructor of " + type.getName() + " takes no configuration");
    }
    try {
      return constructor.newInstance(arguments.toArray());
    } catch (InvocationTargetException e) {
      log.debug("Constructor of {} failed", type.getName(), e.getCause());
      // Not the message: the constructor knows the section's secrets.
      if (e.getCause() instanceof NoClassDefFoundError missing) {
        throw refused(
            settings, key, "class " + type.getName() + " cannot be made: " + reason(missing));
      }
      throw refused(
          settings,
          key,
          "the constructor of "
              + type.getName()
              + " failed with "
              + String.valueOf(e.getCause()).split(":", 2)[0]
              + "; logging.levels."
              + Plugins.class.getName()
              + ": debug shows more");
    } catch (ReflectiveOperationException e) {
      throw refused(settings, key, "class " + type.getName() + " cannot be made: " + e);
    }
  }

  private Constructor<?> onlyConstructor(String key, Class<?> type) {
    Constructor<?>[] constructors;
    try {
      constructors = type.getConstructors();
    } catch (LinkageError e) {
      throw refused(settings, key, "class " + type.getName() + " cannot be loaded: " + reason(e));
    }
    String wrong =
        type.isInterface() || Modifier.isAbstract(type.getModifiers())
            ? "is abstract; name a class that can be made"
            : !Modifier.isPublic(type.getModifiers())
                ? "must be public"
                : constructors.length != 1
                    ? "must have one public constructor, not " + constructors.length
                    : "";
    if (!wrong.isEmpty()) {
      throw refused(settings, key, "class " + type.getName() + " " + wrong);
    }
    return constructors[0];
  }

  private Object argument(
      String key,
      Class<?> type,
      Parameter parameter,
      String configKey,
      Map<String, String> config) {
    Class<?> wanted = parameter.getType();
    if (wanted == Map.class) {
      return Map.copyOf(config);
    }
    if (wanted == MeterRegistry.class) {
      return meters;
    }
    if (wanted == DataSource.class) {
      return dataSource(key, type);
    }
    if (wanted.isRecord()) {
      return bind(wanted, configKey, config);
    }
    throw refused(
        settings,
        key,
        "the constructor of "
            + type.getName()
            + " wants a "
            + wanted.getName()
            + "; it may have: a record or Map<String, String> (its section "
            + configKey
            + "), a MeterRegistry, a javax.sql.DataSource");
  }

  private DataSource dataSource(String key, Class<?> type) {
    if (settings.find(Options.PLUGINS_URL).isEmpty()) {
      throw refused(
          settings,
          key,
          "the constructor of "
              + type.getName()
              + " wants a DataSource: set plugins.data-source.url. (What belongs to the message"
              + " goes through the transaction that the handler is given.)");
    }
    if (dataSource == null) {
      PostgresPool.Pool pool = PostgresPool.forPlugins(settings);
      made.push(pool);
      dataSource = pool.dataSource();
    }
    return dataSource;
  }

  private Object bind(Class<?> wanted, String configKey, Map<String, String> config) {
    try {
      JavaType type = BINDER.constructType(wanted);
      return BINDER.convertValue(nested(config), type);
    } catch (IllegalArgumentException e) {
      // Not the message: it may quote a value.
      String at =
          e.getCause() instanceof JsonMappingException mapping
              ? mapping.getPath().stream()
                  .map(step -> String.valueOf(step.getFieldName()))
                  .collect(Collectors.joining("."))
              : "";
      throw refused(
          settings,
          at.isEmpty() ? configKey : configKey + "." + at,
          "does not fit into "
              + wanted.getName()
              + ", whose parts are "
              + Stream.of(wanted.getRecordComponents())
                  .map(part -> part.getName() + " (" + part.getType().getSimpleName() + ")")
                  .collect(Collectors.joining(", ")));
    }
  }

  /** Dotted keys as objects within objects. */
  private static Map<String, Object> nested(Map<String, String> flat) {
    Map<String, Object> root = new LinkedHashMap<>();
    flat.forEach(
        (key, value) -> {
          Map<String, Object> at = root;
          String[] parts = key.split("\\.", -1);
          for (int i = 0; i < parts.length - 1; i++) {
            // Made here alone, or a text that a longer key passes through: the binder refuses that.
            Object next = at.computeIfAbsent(parts[i], k -> new LinkedHashMap<String, Object>());
            if (!(next instanceof Map)) {
              return;
            }
            @SuppressWarnings("unchecked") // No other map is put into it.
            Map<String, Object> map = (Map<String, Object>) next;
            at = map;
          }
          at.put(parts[parts.length - 1], value);
        });
    return root;
  }

  /** A refusal of one key. */
  ConfigurationException refused(String key, String rule) {
    return refused(settings, key, rule);
  }

  static ConfigurationException refused(Settings settings, String key, String rule) {
    String place =
        settings.written().entrySet().stream()
            .filter(entry -> entry.getKey().startsWith(key))
            .findFirst()
            .map(entry -> entry.getValue().origin().place())
            .orElse("");
    return new ConfigurationException(List.of(new Problem(place, key, rule)));
  }

  /** Closes what was made and can be closed. */
  @Override
  public void close() {
    if (Thread.currentThread().getContextClassLoader() == loader) {
      Thread.currentThread().setContextClassLoader(before);
    }
    while (!made.isEmpty()) {
      AutoCloseable next = made.pop();
      try {
        next.close();
      } catch (Exception e) {
        // One that does not close must not keep the others open.
        log.warn("{} did not close", next.getClass().getName(), e);
      }
    }
    try {
      loader.close();
    } catch (IOException e) {
      log.debug("The plug-ins' jars did not close", e);
    }
  }
}
