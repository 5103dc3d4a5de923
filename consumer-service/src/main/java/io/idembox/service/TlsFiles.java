package io.idembox.service;

import java.nio.file.InvalidPathException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The files that the settings of TLS name, where they are in force: keys and broken rules. */
final class TlsFiles {
  private final Settings settings;
  private final Map<String, String> broken = new LinkedHashMap<>();

  private TlsFiles(Settings settings) {
    this.settings = settings;
  }

  static Map<String, String> ofKafka(Settings settings) {
    TlsFiles files = new TlsFiles(settings);
    files.kafka();
    return files.broken;
  }

  static Map<String, String> ofPostgres(Settings settings) {
    TlsFiles files = new TlsFiles(settings);
    files.postgres();
    return files.broken;
  }

  static Map<String, String> ofRedis(Settings settings) {
    TlsFiles files = new TlsFiles(settings);
    files.redis();
    return files.broken;
  }

  private void kafka() {
    Map<String, String> given = settings.group(Options.KAFKA);
    if (!given.getOrDefault("security.protocol", "").toUpperCase(Locale.ROOT).endsWith("SSL")
        || given.containsKey("ssl.engine.factory.class")) {
      return;
    }
    for (String name : new String[] {"ssl.truststore", "ssl.keystore"}) {
      String type = given.getOrDefault(name + ".type", "JKS").strip();
      String password = given.get(name + ".password");
      look(
          "kafka." + name + ".location",
          given.get(name + ".location"),
          file -> {
            if (!type.equalsIgnoreCase("PEM")) {
              return CertificateFile.store(file, type, password);
            }
            String certificates = CertificateFile.certificates(file);
            return certificates == null && name.equals("ssl.keystore")
                ? CertificateFile.key(file, false)
                : certificates;
          });
    }
  }

  private void postgres() {
    Map<String, String> inUrl = PostgresUrls.parameters(settings.get(Options.POSTGRES_URL));
    Map<String, String> given = new LinkedHashMap<>(inUrl);
    given.putAll(settings.group(Options.DRIVER));
    String mode = given.getOrDefault("sslmode", "prefer");
    if (mode.equals("disable") || given.containsKey("sslfactory")) {
      return;
    }
    if (mode.startsWith("verify-")) {
      postgres("sslrootcert", given, inUrl, CertificateFile::certificates);
    }
    postgres("sslcert", given, inUrl, CertificateFile::certificates);
    postgres(
        "sslkey",
        given,
        inUrl,
        file ->
            file.endsWith(".p12") || file.endsWith(".pfx")
                ? CertificateFile.store(file, "PKCS12", given.get("sslpassword"))
                : CertificateFile.key(file, false));
  }

  private void postgres(
      String name,
      Map<String, String> given,
      Map<String, String> inUrl,
      Function<String, @Nullable String> look) {
    if (inUrl.containsKey(name)) {
      look(
          Options.POSTGRES_URL.key(),
          given.get(name),
          file -> {
            String rule = look.apply(file);
            return rule == null ? null : "has the parameter " + name + ", which " + rule;
          });
    } else {
      look("postgres.properties." + name, given.get(name), look);
    }
  }

  private void redis() {
    look(
        Options.REDIS_TRUSTED.key(),
        settings.find(Options.REDIS_TRUSTED).orElse(null),
        CertificateFile::certificates);
    look(
        Options.REDIS_CERTIFICATE.key(),
        settings.find(Options.REDIS_CERTIFICATE).orElse(null),
        CertificateFile::certificates);
    look(
        Options.REDIS_KEY.key(),
        settings.find(Options.REDIS_KEY).orElse(null),
        file -> CertificateFile.key(file, true));
  }

  private void look(
      String key, @Nullable String file, Function<String, @Nullable String> question) {
    if (file == null) {
      return;
    }
    String rule;
    try {
      rule = question.apply(file);
    } catch (InvalidPathException e) {
      rule = "must be the path of a file";
    }
    if (rule != null) {
      broken.put(key, rule);
    }
  }
}
