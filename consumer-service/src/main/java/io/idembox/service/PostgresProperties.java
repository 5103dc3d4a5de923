package io.idembox.service;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.util.PropertyElf;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Properties that are handed on to the connection pool and to the driver. */
final class PostgresProperties {
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
          ofDriver(),
          refusedOfDriver(),
          (name, value) -> null,
          Set.of("sslpassword"),
          "Any property of the PostgreSQL driver, by its name: sslmode, sslrootcert, sslcert and"
              + " others for TLS.");

  private PostgresProperties() {}

  /**
   * Asked from the driver through JDBC: its own classes need annotations that it does not bring.
   */
  private static Set<String> ofDriver() {
    String any = "jdbc:postgresql://localhost/any";
    try {
      return Arrays.stream(DriverManager.getDriver(any).getPropertyInfo(any, new Properties()))
          .map(property -> property.name)
          .collect(Collectors.toCollection(TreeSet::new));
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
    refused.put("autoCommit", "the inbox begins and ends its transactions by itself");
    refused.put("transactionIsolation", "the claim is made for READ COMMITTED");
    refused.put("readOnly", "the inbox writes");
    refused.put("exceptionOverride", "it takes a class");
    refused.put("exceptionOverrideClassName", "failures are told apart in one place, by SQLSTATE");
    return Map.copyOf(refused);
  }

  private static Map<String, String> refusedOfDriver() {
    return Map.of(
        "user", "set postgres.user",
        "password", "set postgres.password",
        "PGHOST", "set postgres.url",
        "PGPORT", "set postgres.url",
        "PGDBNAME", "set postgres.url",
        "readOnly", "the inbox writes",
        "autosave", "a transaction that PostgreSQL has failed must not go on as if it were whole",
        "raiseExceptionOnSilentRollback", "a rollback must never be taken for a commit");
  }

  /** Hikari reads durations as numbers; its own refusal would come without the key. */
  private static @Nullable String brokenByPool(String name, String value) {
    if ((name.endsWith("Timeout")
            || name.endsWith("Time")
            || name.endsWith("Threshold")
            || name.equals("maxLifetime"))
        && !value.matches("-?\\d{1,15}")) {
      return "must be a whole number of milliseconds, without a unit";
    }
    return null;
  }
}
