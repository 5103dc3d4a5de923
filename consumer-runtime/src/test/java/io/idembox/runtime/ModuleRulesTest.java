package io.idembox.runtime;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Each module is one promise about dependencies. */
@AnalyzeClasses(packages = "io.idembox", importOptions = ImportOption.DoNotIncludeTests.class)
class ModuleRulesTest {

  @ArchTest
  static final ArchRule theGuardKnowsNoKafkaAndNoJdbc =
      noClasses()
          .that()
          .resideInAPackage("io.idembox.effect..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka..",
              "java.sql..",
              "javax.sql..",
              "org.jdbi..",
              "org.postgresql..",
              "io.idembox.inbox..",
              "io.idembox.migrations..",
              "io.idembox.runtime..");

  @ArchTest
  static final ArchRule theInboxKnowsNoKafkaAndNoLettuce =
      noClasses()
          .that()
          .resideInAPackage("io.idembox.inbox..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka..",
              "io.lettuce..",
              "io.idembox.migrations..",
              "io.idembox.runtime..");

  @ArchTest
  static final ArchRule migrationsKnowFlywayAndNothingElseOfOurs =
      noClasses()
          .that()
          .resideInAPackage("io.idembox.migrations..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.idembox.effect..", "io.idembox.inbox..", "io.idembox.runtime..");

  @ArchTest
  static final ArchRule onlyMigrationsSeeFlyway =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.idembox.migrations..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.flywaydb..");

  @ArchTest
  static final ArchRule theRuntimeReachesTheStoresThroughTheirModules =
      noClasses()
          .that()
          .resideInAPackage("io.idembox.runtime..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.lettuce..", "org.jdbi..", "org.postgresql..", "org.flywaydb..");
}
