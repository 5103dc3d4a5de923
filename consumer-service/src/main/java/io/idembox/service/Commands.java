package io.idembox.service;

import picocli.CommandLine;

/** All commands, in the order of the help. */
final class Commands {
  private Commands() {}

  static void addTo(CommandLine line, Console console) {
    line.addSubcommand(new RunCommand(console));
    line.addSubcommand(new MigrateCommand(console));
    line.addSubcommand(DeadLettersCommand.line(console));
    line.addSubcommand(EffectsCommand.line(console));
    line.addSubcommand(new DoctorCommand(console));
    line.addSubcommand(new StatusCommand(console));
    line.addSubcommand(InboxCommand.line(console));
    line.addSubcommand(new ReplayCommand(console));
    line.addSubcommand(new RewindCommand(console));
    line.addSubcommand(new RebuildCommand(console));
    line.addSubcommand(new ConfigCommand(console));
    line.addSubcommand(new CompletionCommand(console));
  }
}
