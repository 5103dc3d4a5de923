package io.idembox.benchmarks;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A process with one contender in it. Connects to the port given, is told its job in one line of
 * JSON, and then does what each further line asks for, answering each with one line.
 */
public final class Worker {
  static final String PREPARE = "prepare";
  static final String WARM_UP = "warm-up";
  static final String RUN = "run";
  static final JsonMapper JSON = new JsonMapper();

  private Worker() {}

  /** Works until the connection ends. */
  public static void main(String[] args) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        BufferedReader orders =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        OutputStream answers = socket.getOutputStream()) {
      Job job = JSON.readValue(orders.readLine(), Job.class);
      DatabaseProcess.watch(job.postgresPid());
      try (Passes passes = Passes.of(job)) {
        Runs runs = new Runs(job, passes);
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
          answer(answers, obey(runs, order));
        }
      }
    }
    // Whatever threads a contender may have left behind.
    System.exit(0);
  }

  private static Object obey(Runs runs, String order) {
    try {
      return switch (order) {
        case PREPARE -> {
          runs.prepare();
          yield Map.of();
        }
        case WARM_UP -> {
          runs.warmUp();
          yield Map.of();
        }
        case RUN -> runs.run();
        default -> throw new BenchmarkException("Unknown order: " + order);
      };
    } catch (RuntimeException | Error e) {
      e.printStackTrace();
      return Map.of("failure", String.valueOf(e.getMessage()));
    }
  }

  private static void answer(OutputStream answers, Object answer) throws IOException {
    answers.write((JSON.writeValueAsString(answer) + "\n").getBytes(StandardCharsets.UTF_8));
    answers.flush();
  }
}
