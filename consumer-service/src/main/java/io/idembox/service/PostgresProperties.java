package io.idembox.service;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.util.PropertyElf;
import java.lang.reflect.Method;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Properties that are handed on to the connection pool and to the driver. */
final class PostgresProperties {
  private static final String NUMBER = "-?\\d{1,9}";
  private static final Map<String, Class<?>> POOL_TYPES = poolTypes();
  private static final Map<String, DriverPropertyInfo> DRIVERS_OWN = ofDriver();

  /** HikariCP corrects these with a warning: the least that is in force, besides 0 for never. */
  private static final Map<String, Long> LEAST_MILLIS =
      Map.of(
          "maxLifetime", 30_000L,
          "idleTimeout", 10_000L,
          "keepaliveTime", 30_000L,
          "leakDetectionThreshold", 2_000L);

  static final OptionGroup POOL =
      new OptionGroup(
          "postgres.hikari",
          new TreeSet<>(PropertyElf.getPropertyNames(HikariConfig.class)),
          refusedOfPool(),
          PostgresProperties::brokenByPool,
          Set.of(),
          "Any property of HikariCP, by its name.");

  static final OptionGroup DRIVER =
      new OptionGroup(
          "postgres.properties",
          new TreeSet<>(DRIVERS_OWN.keySet()),
          refusedOfDriver(),
          PostgresProperties::brokenByDriver,
          Set.of("sslpassword"),
          "Any property of the PostgreSQL driver, by its name: sslmode, sslrootcert, sslcert and"
              + " others for TLS.");

  private PostgresProperties() {}

  private static Map<String, Class<?>> poolTypes() {
    Map<String, Class<?>> types = new LinkedHashMap<>();
    for (Method method : HikariConfig.class.getMethods()) {
      if (method.getName().startsWith("set") && method.getParameterCount() == 1) {
        String name = method.getName().substring("set".length());
        types.put(
            name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1),
            method.getParameterTypes()[0]);
      }
    }
    return types;
  }

  /**
   * Asked from the driver through JDBC: its own classes need annotations that it does not bring.
   */
  private static Map<String, DriverPropertyInfo> ofDriver() {
    String any = "jdbc:postgresql://localhost/any";
    try {
      return Arrays.stream(DriverManager.getDriver(any).getPropertyInfo(any, new Properties()))
          .collect(Collectors.toMap(property -> property.name, Function.identity()));
    } catch (SQLException e) {
      throw new IllegalStateException("The PostgreSQL driver is not on the class path", e);
    }
  }

  private static Map<String, String> refusedOfPool() {
    Map<String, String> refused = new LinkedHashMap<>();
    refused.put("jdbcUrl", "set postgres.url");
    refused.put("username", "set postgres.user");
    refused.put("password", "set postgres.password");
    refused.put("credentials", "set postgres.user and postgres.password");
    refused.put("maximumPoolSize", "set postgres.pool-size");
    refused.put("connectionTimeout", "set postgres.connection-timeout");
    for (String other :
        Set.of("dataSource", "dataSourceClassName", "dataSourceJNDI", "driverClassName")) {
      refused.put(other, "the inbox works on the PostgreSQL driver alone: set postgres.url");
    }
    for (String object :
        Set.of(
            "metricRegistry",
            "metricsTrackerFactory",
            "healthCheckRegistry",
            "healthCheckProperties",
            "credentialsProvider",
            "credentialsProviderClassName",
            "exceptionOverride",
            "scheduledExecutor",
            "threadFactory")) {
      refused.put(object, "it takes an object or a class");
    }
    refused.put("dataSourceProperties", "set postgres.properties");
    refused.put("poolName", "it is idembox, for metrics and logs");
    refused.put("initializationFailTimeout", "a start has checks of its own");
    refused.put(
        "connectionInitSql",
        "it could change what a transaction promises; set what you need for the role:"
            + " alter role ... set ...");
    refused.put("autoCommit", "the inbox begins and ends its transactions by itself");
    refused.put("transactionIsolation", "the claim is made for READ COMMITTED");
    refused.put("readOnly", "the inbox writes");
    refused.put("exceptionOverrideClassName", "failures are told apart in one place, by SQLSTATE");
    return Map.copyOf(refused);
  }

  private static Map<String, String> refusedOfDriver() {
    Map<String, String> refused = new LinkedHashMap<>();
    refused.put("user", "set postgres.user");
    refused.put("password", "set postgres.password");
    for (String place : Set.of("PGHOST", "PGPORT", "PGDBNAME", "service")) {
      refused.put(place, "set postgres.url");
    }
    refused.put("readOnly", "the inbox writes");
    refused.put("readOnlyMode", "the inbox writes");
    refused.put("replication", "the inbox does not speak the replication protocol");
    refused.put(
        "autosave", "a transaction that PostgreSQL has failed must not go on as if it were whole");
    refused.put("raiseExceptionOnSilentRollback", "a rollback must never be taken for a commit");
    return Map.copyOf(refused);
  }

  /** The driver would find out at the first connection only, and without the key. */
  private static @Nullable String brokenByDriver(String name, String value) {
    if (name.equals("targetServerType") && !Set.of("any", "primary", "master").contains(value)) {
      return "must be any or primary: the inbox writes";
    }
    if (name.equals("preferQueryMode") && value.equals("simple")) {
      return "must not be simple: values would travel, and be logged, as parts of statements";
    }
    if (name.equals("options") && value.matches("(?s).*(?:^|[\\s+]|%20)-.*")) {
      return "must not set anything of the session, which could change what a transaction promises;"
          + " set it for the role: alter role ... set ...";
    }
    DriverPropertyInfo known = DRIVERS_OWN.get(name);
    if (known == null) {
      return null;
    }
    if (known.choices != null && !List.of(known.choices).contains(value)) {
      return "must be one of " + String.join(", ", known.choices);
    }
    // The driver tells no types; its defaults show them.
    String usual = String.valueOf(known.value);
    if (usual.matches("true|false") && !value.matches("true|false")) {
      return "must be true or false";
    }
    if (usual.matches(NUMBER) && !value.matches(NUMBER)) {
      return "must be a whole number"
          + (name.endsWith("Timeout") && !name.startsWith("ssl") && !name.startsWith("gss")
              ? " (seconds, without a unit)"
              : "");
    }
    return null;
  }

  /** What contradicts another property, or an option of ours: name and rule. */
  static Map<String, String> contradictions(Settings settings) {
    Map<String, String> broken = new LinkedHashMap<>();
    Set<String> inUrl = PostgresUrls.parameterNames(settings.get(Options.POSTGRES_URL));
    Map<String, String> driver = settings.group(Options.DRIVER);
    driver.keySet().stream()
        .filter(inUrl::contains)
        .forEach(name -> broken.put("postgres.properties." + name, "stands in postgres.url too"));
    String idle = settings.group(Options.HIKARI).getOrDefault("minimumIdle", "0");
    if (Integer.parseInt(idle) > PostgresPool.size(settings)) {
      broken.put(
          "postgres.hikari.minimumIdle",
          "is more than the pool has, " + PostgresPool.size(settings));
    }
    return broken;
  }

  /** Settings of TLS that are not in force: name and what is the case. */
  static Map<String, String> withoutForce(Settings settings) {
    Map<String, String> driver = settings.group(Options.DRIVER);
    boolean idle =
        driver.containsKey("sslrootcert")
            && !PostgresUrls.parameterNames(settings.get(Options.POSTGRES_URL)).contains("sslmode")
            && !driver.getOrDefault("sslmode", "").startsWith("verify-");
    return idle
        ? Map.of(
            "sslrootcert",
            "means nothing unless sslmode is verify-ca or verify-full: the server is not checked")
        : Map.of();
  }

  /** What HikariCP would correct, or refuse without the key. */
  private static @Nullable String brokenByPool(String name, String value) {
    Class<?> type = POOL_TYPES.get(name);
    if (type == boolean.class && !value.matches("true|false")) {
      return "must be true or false";
    }
    if (type == int.class && !value.matches("\\d{1,9}")) {
      return "must be a whole number";
    }
    if (type == long.class) {
      if (!value.matches("\\d{1,15}")) {
        return "must be a whole number of milliseconds, without a unit";
      }
      long least = LEAST_MILLIS.getOrDefault(name, 250L);
      boolean never = LEAST_MILLIS.containsKey(name) && Long.parseLong(value) == 0;
      if (Long.parseLong(value) < least && !never) {
        return "must be at least " + least + (LEAST_MILLIS.containsKey(name) ? ", or 0" : "");
      }
    }
    return null;
  }
}
