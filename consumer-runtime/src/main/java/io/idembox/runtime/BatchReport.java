package io.idembox.runtime;

/**
 * What became of the records of one committed transaction.
 *
 * @param topic the topic
 * @param partition the partition
 * @param firstOffset the offset of the first record
 * @param lastOffset the offset of the last record
 * @param delivered how many records Kafka delivered: handled, ignored and skipped together
 * @param handled how many were new and ran through a handler
 * @param ignored how many were new, and recorded without a handler since their type is not listed
 * @param skipped how many were known already
 */
public record BatchReport(
    String topic,
    int partition,
    long firstOffset,
    long lastOffset,
    int delivered,
    int handled,
    int ignored,
    int skipped) {}
