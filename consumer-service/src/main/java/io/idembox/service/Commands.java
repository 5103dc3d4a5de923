package io.idembox.service;

import picocli.CommandLine;

/** All commands, in the order of the help. */
final class Commands {
  private Commands() {}

  static void addTo(CommandLine line, Console console) {
    line.addSubcommand(new RunCommand(console));
    line.addSubcommand(new ConfigCommand(console));
  }
}
