package io.idembox.inbox;

/** Why a database meets another Kafka cluster. */
public enum ClusterChange {
  /**
   * The database is a copy of one that goes on elsewhere: it gets an installation id of its own,
   * and so effect namespaces of its own, or the two would suppress each other's effects in a Redis
   * that they share.
   */
  COPY,
  /** The topics moved to another cluster; the database is the same, and so are its effects. */
  MOVED
}
