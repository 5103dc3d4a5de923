package io.idembox.runtime;

/**
 * How much of what the journal owes is worked on, or owed, at once.
 *
 * @param concurrency how many effects run at the same time
 * @param mostUnsettled above so many that are owed no new record is handled
 * @param deferral of those that did not succeed
 */
record EffectLimits(int concurrency, long mostUnsettled, Deferral deferral) {}
