package io.idembox.demo.run;

import java.util.UUID;

/**
 * One record to send. The key is the order's id, so all records of an order share a partition and
 * keep their order.
 */
record PlannedRecord(String orderId, UUID messageId, String eventType, Object event) {}
