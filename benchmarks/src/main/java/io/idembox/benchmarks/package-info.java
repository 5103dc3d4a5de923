/**
 * Idembox beside what a user would pick instead, and beside the limits of Kafka and PostgreSQL, in
 * one run on the same servers. Start at {@link io.idembox.benchmarks.BenchmarkCommand}; {@link
 * io.idembox.benchmarks.Workload} says what is measured, {@link io.idembox.benchmarks.Contender} by
 * whom.
 */
@NullMarked
package io.idembox.benchmarks;

import org.jspecify.annotations.NullMarked;
