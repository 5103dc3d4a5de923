package io.idembox.demo.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchTotalsTest {
  @TempDir Path folder;

  @Test
  void allBatchesOfAllProcessesAreAddedUp() throws IOException {
    Path log = Files.writeString(folder.resolve("batches.log"), "10 8 2\n5 0 5\n");

    assertThat(BatchTotals.read(log)).isEqualTo(new BatchTotals(15, 8, 7));
  }

  @Test
  void aLogThatWasNeverBegunHoldsNothing() throws IOException {
    assertThat(BatchTotals.read(folder.resolve("none.log"))).isEqualTo(new BatchTotals(0, 0, 0));
  }

  @Test
  void aLineThatIsNoBatchIsRefused() throws IOException {
    Path log = Files.writeString(folder.resolve("batches.log"), "10 8 2\n10 8");

    assertThatThrownBy(() -> BatchTotals.read(log))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("10 8");
  }
}
