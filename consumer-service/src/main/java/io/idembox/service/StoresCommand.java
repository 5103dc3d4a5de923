package io.idembox.service;

import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;

/** A command that asks the servers, beside a running consumer or without one. */
abstract class StoresCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final CommonOptions common = new CommonOptions();

  StoresCommand(Console console) {
    this.console = console;
  }

  @Override
  public final Integer call() throws Exception {
    try (Stores stores = Stores.of(common.settings(console))) {
      return run(stores);
    }
  }

  /** The command's own part; answers the exit code. */
  abstract int run(Stores stores) throws Exception;

  Console console() {
    return console;
  }

  boolean json() {
    return common.json();
  }

  void print(Object answer, String forPeople) {
    common.print(console, answer, forPeople);
  }

  /**
   * How many at most.
   *
   * @throws IllegalArgumentException if that is none
   */
  static int limit(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("--limit must be at least 1, not " + limit);
    }
    return limit;
  }

  /** Makes a change that goes on record. */
  <T> T audited(Stores stores, String action, String target, Supplier<T> change) {
    return audit(stores).record(action, target, change);
  }

  /** Where this command's changes go on record. */
  Audit audit(Stores stores) {
    return new Audit(stores, Audit.Via.COMMAND, user());
  }

  /** Who decides, for the record. */
  String user() {
    return console.user();
  }
}
