package io.idembox.inbox;

/**
 * The database was used with another Kafka cluster. Either it is a copy (of production, say), or
 * the topics moved; what is right to do differs, so nothing starts until somebody says which.
 */
public final class ClusterMismatchException extends InboxException {
  private static final long serialVersionUID = 1L;

  ClusterMismatchException(String expected, String found) {
    super(
        "This database belongs to the Kafka cluster "
            + expected
            + ", but the brokers are of cluster "
            + found
            + ": if it is a copy of a database that goes on elsewhere, adopt the cluster as COPY; if the"
            + " topics moved to another cluster, as MOVED",
        null);
  }
}
