package io.idembox.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.testkit.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link Worker} as the run sees it. */
final class WorkerProcess implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofMinutes(1);
  private static final int LAST_LINES = 30;

  private final Job job;
  private final JavaProcess process;
  private final Socket socket;
  private final BufferedReader answers;
  private final OutputStream orders;

  private WorkerProcess(Job job, JavaProcess process, Socket socket) throws IOException {
    this.job = job;
    this.process = process;
    this.socket = socket;
    this.answers =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    this.orders = socket.getOutputStream();
  }

  static WorkerProcess start(Job job, List<String> jvmOptions) {
    JavaProcess process = null;
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      process =
          JavaProcess.builder(Worker.class)
              .jvmArgs(jvmOptions.toArray(String[]::new))
              .args(Integer.toString(listener.getLocalPort()))
              .start();
      listener.setSoTimeout((int) START_LIMIT.toMillis());
      WorkerProcess worker = new WorkerProcess(job, process, listener.accept());
      worker.send(Worker.JSON.writeValueAsString(job));
      return worker;
    } catch (IOException e) {
      if (process != null) {
        process.close();
      }
      throw new BenchmarkException(job.contender() + " did not start", e);
    }
  }

  Contender contender() {
    return job.contender();
  }

  void prepare() {
    ask(Worker.PREPARE);
  }

  void warmUp() {
    ask(Worker.WARM_UP);
  }

  RunFigures run() {
    try {
      return Worker.JSON.treeToValue(ask(Worker.RUN), RunFigures.class);
    } catch (IOException e) {
      throw failed("no figures", e);
    }
  }

  private JsonNode ask(String order) {
    try {
      send(order);
      String answer = answers.readLine();
      if (answer == null) {
        throw failed("its process ended", null);
      }
      JsonNode node = Worker.JSON.readTree(answer);
      if (node.has("failure")) {
        throw failed(node.get("failure").asText(), null);
      }
      return node;
    } catch (IOException e) {
      throw failed("no answer", e);
    }
  }

  private BenchmarkException failed(String reason, @Nullable IOException cause) {
    List<String> output = process.output();
    String last =
        String.join("\n  ", output.subList(Math.max(0, output.size() - LAST_LINES), output.size()));
    String message =
        job.workload()
            + ", "
            + job.contender()
            + ": "
            + reason
            + (last.isEmpty() ? "" : "\nthe last lines of its output:\n  " + last);
    return cause == null ? new BenchmarkException(message) : new BenchmarkException(message, cause);
  }

  private void send(String line) throws IOException {
    orders.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    orders.flush();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // The process is killed next.
    }
    process.close();
  }
}
