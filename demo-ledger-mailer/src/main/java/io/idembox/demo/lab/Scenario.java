package io.idembox.demo.lab;

import io.idembox.demo.stage.DemoFailure;
import io.idembox.demo.stage.StopSignal.StoppedException;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** A situation from the articles. */
interface Scenario {

  /** Counted from 1. */
  int id();

  /** In a few words. */
  String name();

  /** What one has to know to judge its figures. */
  String note();

  /**
   * Runs it. However it ends, no process of it is left.
   *
   * @throws DemoFailure if a step did not come to its end
   * @throws StoppedException if the run was told to stop
   */
  Found run(LabBench bench)
      throws DemoFailure,
          StoppedException,
          InterruptedException,
          SQLException,
          IOException,
          MessagingException;

  /**
   * What was found.
   *
   * @param ours what the scenario is about
   * @param others what was run beside it
   */
  record Found(Comparison ours, List<Comparison> others) {}
}
