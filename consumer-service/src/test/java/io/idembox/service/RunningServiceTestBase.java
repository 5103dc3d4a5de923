package io.idembox.service;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** A service that runs in the JVM of the test. */
abstract class RunningServiceTestBase extends ServiceTestBase {
  private final HttpClient http = HttpClient.newHttpClient();
  Service service;
  private Thread running;

  @AfterEach
  void stop() throws Exception {
    if (service != null) {
      service.close();
      running.join(Duration.ofSeconds(30).toMillis());
    }
  }

  void start(Map<String, String> environment) throws Exception {
    Settings settings = ConfigurationLoader.load(config, environment, Map.of());
    service = Service.assemble(settings, builder -> {});
    running =
        new Thread(
            () -> {
              try {
                service.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "service-under-test");
    running.start();
    await().atMost(SOON).until(() -> get("/health/started", "").statusCode() == 200);
  }

  HttpResponse<String> get(String path, String token) throws Exception {
    return http.send(
        request(path).header("Authorization", "Bearer " + token).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String body) throws Exception {
    return http.send(
        request(path)
            .header("Authorization", "Bearer " + TOKEN)
            .header("X-Operator", "tester")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url(path))).timeout(Duration.ofSeconds(20));
  }

  static JsonNode json(HttpResponse<String> answer) throws Exception {
    return Json.MAPPER.readTree(answer.body());
  }

  String url(String path) {
    return "http://127.0.0.1:" + service.httpPort() + path;
  }
}
