package io.idembox.demo;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

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
              "io.idembox.demo.run..", "io.idembox.testkit..", "com.icegreen.greenmail..");
}
