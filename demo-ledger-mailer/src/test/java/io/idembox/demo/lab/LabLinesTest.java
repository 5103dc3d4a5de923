package io.idembox.demo.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabLinesTest {
  @TempDir Path folder;

  @Test
  void onlyWholeMarkedLinesOfThatWordCount() throws Exception {
    Path log =
        Files.writeString(
            folder.resolve("worker.log"),
            "lab> delivered 0\n12:00 INFO delivered 7\nlab> ready\nlab> delivered 1\nlab> deliv");

    assertThat(LabLines.of(log, "delivered")).containsExactly("0", "1");
    assertThat(LabLines.of(log, "deliv")).hasSize(2);
  }

  @Test
  void aWorkerThatHasNotBegunHasSaidNothing() throws Exception {
    assertThat(LabLines.of(folder.resolve("none.log"), "ready")).isEmpty();
  }
}
