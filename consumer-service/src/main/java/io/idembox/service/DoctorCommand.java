package io.idembox.service;

import java.util.List;
import picocli.CommandLine.Command;

/** All checks of a start, and more, without starting. */
@Command(
    name = "doctor",
    description = {
      "Checks everything that a start needs, and what makes a promise weaker than it could be.",
      "Each finding has a code, what is the case, and what to do. Exits 1 if there is an error."
    })
final class DoctorCommand extends StoresCommand {
  DoctorCommand(Console console) {
    super(console);
  }

  @Override
  int run(Stores stores) {
    List<Finding> findings = new Doctor(stores).findings();
    StringBuilder text = new StringBuilder();
    for (Finding finding : findings) {
      text.append("%-8s %-22s %s%n".formatted(finding.severity(), finding.code(), finding.what()));
      if (!finding.remedy().isEmpty()) {
        text.append("%-31s -> %s%n".formatted("", finding.remedy()));
      }
    }
    long errors = findings.stream().filter(one -> one.severity() == Finding.Severity.ERROR).count();
    print(
        findings,
        text + (errors == 0 ? "no errors" : errors == 1 ? "1 error" : errors + " errors"));
    return errors == 0 ? ExitCode.DONE : ExitCode.BAD_NEWS;
  }
}
