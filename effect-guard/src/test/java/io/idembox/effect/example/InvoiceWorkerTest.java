package io.idembox.effect.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectGuard;
import io.idembox.effect.RedisEffectStore;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The README's worker does what the README says, and its code is the code that the README shows.
 */
@WithServers(WithServers.Server.REDIS)
final class InvoiceWorkerTest {
  private static final Path SOURCE =
      Path.of("src/test/java/io/idembox/effect/example/InvoiceWorker.java");

  private TestScope scope;

  @Test
  void jobsThatComeTwiceAreOneMail() throws Exception {
    List<String> outbox = new ArrayList<>();
    int[] calls = {0};
    InvoiceWorker.Mailer mailer =
        (to, messageId) -> {
          if (++calls[0] == 1) {
            throw new InvoiceWorker.Mailer.NotConnected();
          }
          outbox.add(to + " " + messageId);
          return messageId;
        };
    BlockingQueue<InvoiceWorker.Job> queue = new LinkedBlockingQueue<>();
    for (int round = 0; round < 2; round++) {
      for (int order = 0; order < 5; order++) {
        queue.add(new InvoiceWorker.Job(scope.namespace() + order, "customer-" + order));
      }
    }
    try (RedisEffectStore redis = RedisEffectStore.connect(scope.redis().uri());
        EffectGuard guard = InvoiceWorker.guard(redis)) {
      InvoiceWorker worker = new InvoiceWorker(queue, guard, new InvoiceWorker.InvoiceMail(mailer));
      while (!queue.isEmpty()) {
        worker.workOnce();
      }
    }
    assertThat(outbox).hasSize(5).doesNotHaveDuplicates();
  }

  @Test
  void theReadmeShowsThisCode() throws IOException {
    String source = bare(Files.readString(SOURCE));
    Matcher block =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("README.md")));
    int blocks = 0;
    while (block.find()) {
      for (String part : block.group(1).split("\n *// \\.\\.\\.\n", -1)) {
        assertThat(source).contains(bare(part).strip());
        blocks++;
      }
    }
    assertThat(blocks).isPositive();
  }

  private static String bare(String code) {
    return code.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .reduce("", (a, b) -> a + "\n" + b);
  }
}
