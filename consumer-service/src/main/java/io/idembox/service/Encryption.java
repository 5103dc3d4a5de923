package io.idembox.service;

import java.util.ArrayList;
import java.util.List;

/** Settings that look like protection and give none. */
final class Encryption {
  private Encryption() {}

  static List<Finding> findings(Settings settings) {
    List<Finding> findings = new ArrayList<>();
    KafkaProperties.withoutForce(settings.group(Options.KAFKA))
        .forEach(
            (name, what) ->
                findings.add(
                    Finding.warning(
                        "kafka.security",
                        "kafka." + name + " " + what,
                        "set kafka.security.protocol to SSL, SASL_SSL or SASL_PLAINTEXT, or leave it"
                            + " out")));
    PostgresProperties.withoutForce(settings)
        .forEach(
            (name, what) ->
                findings.add(
                    Finding.warning(
                        "postgres.security",
                        "postgres.properties." + name + " " + what,
                        "set postgres.properties.sslmode: verify-full")));
    return findings;
  }
}
