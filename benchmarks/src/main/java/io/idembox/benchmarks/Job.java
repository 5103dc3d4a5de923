package io.idembox.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * What a worker process is started for: one contender in one workload.
 *
 * @param jdbcUrl as the contender reaches the database, with what latency the workload adds
 * @param directJdbcUrl the same database without it, for preparing and verifying
 * @param orders the orders of the run, from which each topic's size follows
 * @param inboxRows how many rows a large inbox has before a pass
 * @param seconds a measured run repeats its pass until it has lasted so long
 * @param postgresPid the database server's first process, or 0 if it is not seen from here
 * @param profile where profiles go, or null if none are taken
 */
record Job(
    Workload workload,
    Contender contender,
    String bootstrapServers,
    String jdbcUrl,
    String directJdbcUrl,
    String redisUri,
    int partitions,
    int orders,
    long inboxRows,
    double seconds,
    long postgresPid,
    @Nullable String profile) {

  int records() {
    return workload.topic().records(orders);
  }
}
