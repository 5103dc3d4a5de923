package io.idembox.runtime;

/**
 * How often and when what failed is tried again.
 *
 * @param mostAttempts of one record, the first run included; then it is given up
 * @param record the pauses between the attempts of one failing record
 * @param outage the pauses while a server is away
 * @param breaker the pauses between attempts while no record succeeds
 */
record Retries(int mostAttempts, Backoff record, Backoff outage, Backoff breaker) {}
