package io.idembox.demo;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.idembox.demo.internal.Planted;

/** The demo is written as a user's application would be. */
@AnalyzeClasses(packages = "io.idembox.demo", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule THE_DEMO_USES_PUBLIC_API_ONLY =
      noClasses().should().dependOnClassesThat().resideInAPackage("io.idembox..internal..");

  @ArchTest
  static final ArchRule THE_APPLICATION_KNOWS_NOTHING_OF_ITS_TEST_DRIVE =
      noClasses()
          .that()
          .resideInAPackage("io.idembox.demo")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.idembox.demo.run..",
              "io.idembox.demo.lab..",
              "io.idembox.demo.stage..",
              "io.idembox.testkit..",
              "com.icegreen.greenmail..");

  @ArchTest
  static final ArchRule THE_LAB_KNOWS_NOTHING_OF_THE_DEMO_RUN =
      noClasses()
          .that()
          .resideInAPackage("io.idembox.demo.lab")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.idembox.demo.run");

  /** While no module has such a package, nothing else shows that the first rule can fail. */
  @ArchTest
  static void aClassThatUsesAnInternalPackageIsSeen(JavaClasses ignored) {
    JavaClasses offender = new ClassFileImporter().importClasses(UserOfInternals.class);

    assertThat(THE_DEMO_USES_PUBLIC_API_ONLY.evaluate(offender).hasViolation()).isTrue();
  }

  private static final class UserOfInternals {
    @SuppressWarnings("unused") // its type is what counts
    private Planted planted = new Planted();
  }
}
