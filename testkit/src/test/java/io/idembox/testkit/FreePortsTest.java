package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Ports that test processes side by side do not take from each other. */
final class FreePortsTest {
  private static final int LOWEST = 12_000;
  private static final int HIGHEST = 22_000;
  private static final int PART = 500;

  @Test
  void aProcessTakesPortsOfItsOwnPartThenAnyAndNoneTwice() {
    int first = LOWEST + (int) (ProcessHandle.current().pid() % 20) * PART;
    Set<Integer> ports = new HashSet<>();

    for (int i = 0; i < 50; i++) {
      int port = FreePorts.next();
      assertThat(port).isBetween(first, first + PART - 1);
      ports.add(port);
    }
    while (ports.size() < PART + 50) {
      assertThat(ports.add(FreePorts.next())).as("it is new").isTrue();
    }
    assertThat(ports).allMatch(port -> port >= LOWEST && port < HIGHEST);
  }
}
