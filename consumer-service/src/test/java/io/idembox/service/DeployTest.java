package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The files of the deploy folder agree with the program, as far as that can be told by reading
 * them.
 */
final class DeployTest {
  private static final Path DEPLOY = Path.of("deploy");
  private static final Duration CONNECTIONS = Duration.ofSeconds(5);

  @TempDir private Path folder;

  @Test
  void theConfigurationIsTakenWithTheVariablesOfTheImage() throws Exception {
    Settings settings = settings(image());
    assertThat(settings.get(Options.HTTP_HOST)).isEqualTo("0.0.0.0");
    assertThat(settings.get(Options.NAME)).isEqualTo("billing");
  }

  @Test
  void composeSetsKnownVariablesAndGivesTheStopItsTime() throws Exception {
    String configuration = image().get("IDEMBOX_CONFIG") + ":ro";
    Map<String, Object> services = map(map(yaml("compose.yaml").get(0)).get("services"));
    for (String name : new String[] {"migrate", "idembox"}) {
      Map<String, String> variables = image();
      map(map(services.get(name)).get("environment"))
          .forEach((variable, value) -> variables.put(variable, secretFile(variable)));
      assertThat(settings(variables).find(Options.POSTGRES_PASSWORD))
          .contains("long-enough-secret");
    }
    Map<String, Object> service = map(services.get("idembox"));
    Duration grace =
        ValueType.duration(Duration.ZERO, Duration.ofHours(1))
            .parse(String.valueOf(service.get("stop_grace_period")));
    assertThat(grace)
        .isGreaterThanOrEqualTo(settings(image()).get(Options.SHUTDOWN_BUDGET).plus(CONNECTIONS));
    assertThat(list(service.get("ports"))).containsExactly("127.0.0.1:8080:8080");
    assertThat(String.valueOf(map(services.get("redis")).get("command"))).contains("noeviction");
    assertThat(list(service.get("volumes")))
        .anyMatch(volume -> String.valueOf(volume).endsWith(configuration));
  }

  @Test
  void kubernetesProbesWhatIsServedAndGivesTheStopItsTime() throws Exception {
    List<Object> documents = yaml("kubernetes/idembox.yaml");
    assertThat(documents).hasSize(2);
    for (Object document : documents) {
      Map<String, Object> pod =
          map(map(map(map(document).get("spec")).get("template")).get("spec"));
      Map<String, Object> container = map(list(pod.get("containers")).get(0));
      Map<String, String> variables = image();
      for (Object variable : list(container.get("env"))) {
        String name = String.valueOf(map(variable).get("name"));
        variables.put(name, secretFile(name));
      }
      Settings settings = settings(variables);
      assertThat(settings.find(Options.POSTGRES_PASSWORD)).isPresent();
      if (map(document).get("kind").equals("Deployment")) {
        assertThat(
                Duration.ofSeconds(((Number) pod.get("terminationGracePeriodSeconds")).longValue()))
            .isGreaterThanOrEqualTo(settings.get(Options.SHUTDOWN_BUDGET).plus(CONNECTIONS));
        assertThat(map(list(container.get("ports")).get(0)).get("containerPort"))
            .isEqualTo(settings.get(Options.HTTP_PORT));
        assertThat(probe(container, "startupProbe")).isEqualTo("/health/started");
        assertThat(probe(container, "livenessProbe")).isEqualTo("/health/live");
        assertThat(probe(container, "readinessProbe")).isEqualTo("/health/ready");
      }
    }
  }

  @Test
  void theImageCopiesWhatTheBuildMakesAndTheScriptFinds() throws Exception {
    String dockerfile = Files.readString(DEPLOY.resolve("Dockerfile"));
    assertThat(dockerfile)
        .contains(
            "COPY consumer-service/bin/idembox bin/idembox",
            "COPY consumer-service/target/idembox.jar lib/idembox.jar",
            "EXPOSE 8080",
            "ENTRYPOINT [\"bin/idembox\"]");
    assertThat(Files.readString(Path.of("bin/idembox"))).contains("$home/lib/idembox.jar");
    assertThat(Files.readString(Path.of("pom.xml")))
        .contains("${project.build.directory}/idembox.jar");
  }

  private static Object probe(Map<String, Object> container, String name) {
    return map(map(container.get(name)).get("httpGet")).get("path");
  }

  /** The variables of the Dockerfile. */
  private static Map<String, String> image() throws IOException {
    Map<String, String> variables = new HashMap<>();
    Matcher matcher =
        Pattern.compile("(IDEMBOX_[A-Z_]+)=(\"[^\"]*\"|\\S+)")
            .matcher(Files.readString(DEPLOY.resolve("Dockerfile")));
    while (matcher.find()) {
      variables.put(matcher.group(1), matcher.group(2));
    }
    return variables;
  }

  private String secretFile(String variable) {
    assertThat(variable).as("secrets come from files").endsWith("_FILE");
    try {
      return Files.writeString(folder.resolve(variable), "long-enough-secret").toString();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static Settings settings(Map<String, String> variables) {
    return ConfigurationLoader.load(DEPLOY.resolve("idembox.yaml"), variables, Map.of());
  }

  private static List<Object> yaml(String file) throws IOException {
    List<Object> documents = new ArrayList<>();
    new Load(LoadSettings.builder().build())
        .loadAllFromString(Files.readString(DEPLOY.resolve(file)))
        .forEach(documents::add);
    return documents;
  }

  @SuppressWarnings("unchecked") // YAML maps have text keys here.
  private static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  private static List<Object> list(Object value) {
    return (List<Object>) value;
  }
}
