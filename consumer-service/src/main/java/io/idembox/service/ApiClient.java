package io.idembox.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Asks the running service, for what only the process with the handlers can do. */
final class ApiClient {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
  private final URI base;
  private final String token;
  private final String user;

  private ApiClient(URI base, String token, String user) {
    this.base = base;
    this.token = token;
    this.user = user;
  }

  /**
   * A client of the service that this configuration runs.
   *
   * @param url where it is, if not at http.host and http.port
   */
  static ApiClient of(Settings settings, @Nullable String url, String user) {
    String token =
        settings
            .find(Options.HTTP_TOKEN)
            .orElseThrow(
                () ->
                    new NotPossibleException(
                        "this is done by the running service, whose API needs http.token: it is not"
                            + " set"));
    String host = settings.get(Options.HTTP_HOST);
    String at =
        url == null
            ? "http://"
                + (host.equals("0.0.0.0") ? "127.0.0.1" : host)
                + ":"
                + settings.get(Options.HTTP_PORT)
            : url;
    return new ApiClient(URI.create(at), token, user);
  }

  /**
   * Sends a change.
   *
   * @throws NotPossibleException if the service refuses it
   * @throws ServerException if no service answers, or it cannot do it now
   */
  JsonNode post(String path, String body) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(base.resolve(path))
            .timeout(LIMIT)
            .header("Authorization", "Bearer " + token)
            .header("X-Operator", URLEncoder.encode(user, StandardCharsets.UTF_8))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer;
    try {
      answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new ServerException(
          "No service answers at "
              + base
              + "; is it running, and is its API there (http.port, --url)?",
          e);
    }
    if (answer.statusCode() == 401) {
      throw new ServerException(
          "The service at "
              + base
              + " refuses the token: http.token must be the one that it was started with");
    }
    JsonNode json = parsed(answer.body());
    String error = json.path("error").asText("answer " + answer.statusCode());
    if (answer.statusCode() == 409) {
      throw new NotPossibleException(error);
    }
    if (answer.statusCode() != 200) {
      throw new ServerException("The service at " + base + " refuses: " + error);
    }
    return json;
  }

  private JsonNode parsed(String body) {
    try {
      return Json.MAPPER.readTree(body);
    } catch (JsonProcessingException e) {
      throw new ServerException("What answers at " + base + " is not this service", e);
    }
  }
}
