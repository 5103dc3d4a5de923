package io.idembox.service;

import io.idembox.runtime.BatchReport;
import io.idembox.runtime.RunListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line for the skipped records of a batch, never one for each of many. Thread-safe. */
final class SkipSummary implements RunListener {
  private static final Logger log = LoggerFactory.getLogger(SkipSummary.class);

  @Override
  public void onBatch(BatchReport report) {
    if (report.skipped() == 0) {
      return;
    }
    log.info(
        "{}-{}: {} of the {} records from offset {} to {} were done before and are skipped",
        report.topic(),
        report.partition(),
        report.skipped(),
        report.delivered(),
        report.firstOffset(),
        report.lastOffset());
  }
}
