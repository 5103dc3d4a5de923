package io.idembox.service;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;

/** Makes connection pools out of the configuration. Opens no connection yet. */
final class PostgresPool {
  private static final int BESIDE_BATCHES = 4;

  private PostgresPool() {}

  /**
   * A pool, and what ends it.
   *
   * @param dataSource never closed by those who use it
   */
  record Pool(HikariDataSource dataSource) implements AutoCloseable {
    @Override
    public void close() {
      dataSource.close();
    }
  }

  static int size(Settings settings) {
    return settings
        .find(Options.POSTGRES_POOL_SIZE)
        .orElseGet(() -> settings.get(Options.CONCURRENCY) + BESIDE_BATCHES);
  }

  /** The inbox's own. */
  static Pool forInbox(Settings settings, int size) {
    Properties properties = new Properties();
    properties.putAll(settings.group(Options.HIKARI));
    HikariConfig config;
    try {
      config = new HikariConfig(properties);
    } catch (RuntimeException e) {
      throw Plugins.refused(
          settings, Options.HIKARI.key(), "HikariCP refuses a property: " + e.getMessage());
    }
    config.setPoolName("idembox");
    config.setMaximumPoolSize(size);
    if (!settings.group(Options.HIKARI).containsKey("minimumIdle")) {
      config.setMinimumIdle(Math.min(2, size));
    }
    Duration timeout = settings.get(Options.POSTGRES_CONNECTION_TIMEOUT);
    config.setJdbcUrl(settings.get(Options.POSTGRES_URL));
    settings.find(Options.POSTGRES_USER).ifPresent(config::setUsername);
    settings.find(Options.POSTGRES_PASSWORD).ifPresent(config::setPassword);
    Map<String, String> driver = settings.group(Options.DRIVER);
    driver.forEach(config::addDataSourceProperty);
    // A server that swallows packets must not hold the start for longer than the pool's own limit.
    seconds(config, driver, "connectTimeout", timeout);
    seconds(config, driver, "loginTimeout", timeout);
    config.addDataSourceProperty(
        "ApplicationName",
        driver.getOrDefault("ApplicationName", "idembox " + settings.get(Options.NAME)));
    return open(config, timeout);
  }

  private static void seconds(
      HikariConfig config, Map<String, String> driver, String name, Duration limit) {
    if (!driver.containsKey(name)) {
      config.addDataSourceProperty(name, "" + Math.max(1, limit.toSeconds()));
    }
  }

  /** That of handlers and effects that ask for one. */
  static Pool forPlugins(Settings settings) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("idembox-plugins");
    config.setMaximumPoolSize(settings.get(Options.PLUGINS_POOL_SIZE));
    config.setMinimumIdle(0);
    config.setJdbcUrl(settings.get(Options.PLUGINS_URL));
    settings.find(Options.PLUGINS_USER).ifPresent(config::setUsername);
    settings.find(Options.PLUGINS_PASSWORD).ifPresent(config::setPassword);
    return open(config, settings.get(Options.POSTGRES_CONNECTION_TIMEOUT));
  }

  private static Pool open(HikariConfig config, Duration timeout) {
    config.setConnectionTimeout(timeout.toMillis());
    // The checks of each command say more about a database that is away than the pool could.
    config.setInitializationFailTimeout(-1);
    return new Pool(new HikariDataSource(config));
  }
}
