package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** What must hold of a group whatever happens to its members, each as an object that watches. */
final class SoakGuarantees {
  private SoakGuarantees() {}

  /** One promise; asked all the while and at the end, from one thread. */
  interface Guarantee {
    /** Looks while members come and go; throws if the promise is broken already. */
    default void look() throws Exception {}

    /**
     * Once everything is handled.
     *
     * @param sent how many orders were sent, each once
     */
    void assertKept(long sent) throws Exception;
  }

  static List<Guarantee> all(DataSource database, Admin admin, String group) {
    return List.of(
        new NoRecordIsLost(database),
        new OneRowAndOneMailPerIdentity(database),
        new OrderPerKey(database),
        new OffsetsOnlyMoveForward(admin, group));
  }

  private record NoRecordIsLost(DataSource database) implements Guarantee {
    @Override
    public void assertKept(long sent) {
      assertThat(DatabaseRows.count(database, "select count(distinct order_id) from ledger"))
          .as("orders in the ledger")
          .isEqualTo(sent);
      assertThat(DatabaseRows.count(database, "select count(distinct order_id) from sent"))
          .as("orders that were mailed")
          .isEqualTo(sent);
      assertThat(DatabaseRows.count(database, "select count(*) from idembox.dead_letter"))
          .as("dead letters")
          .isZero();
    }
  }

  private record OneRowAndOneMailPerIdentity(DataSource database) implements Guarantee {
    @Override
    public void look() {
      assertThat(twice("ledger")).as("orders with two rows").isEmpty();
      assertThat(twice("sent")).as("orders with two mails").isEmpty();
    }

    private List<String> twice(String table) {
      return DatabaseRows.strings(
          database, "select order_id from " + table + " group by 1 having count(*) > 1");
    }

    @Override
    public void assertKept(long sent) {
      look();
      assertThat(DatabaseRows.count(database, "select count(*) from idembox.inbox"))
          .as("inbox rows")
          .isEqualTo(sent);
    }
  }

  /** Orders are called {@code key:number}, and numbers rise. */
  private record OrderPerKey(DataSource database) implements Guarantee {
    @Override
    public void look() {
      assertThat(
              DatabaseRows.strings(
                  database,
                  """
                  select order_id from (
                    select order_id, split_part(order_id, ':', 2)::int as number,
                      max(split_part(order_id, ':', 2)::int) over (
                        partition by split_part(order_id, ':', 1) order by position
                        rows between unbounded preceding and 1 preceding) as before
                    from ledger) as rows
                  where before > number
                  """))
          .as("rows that were committed before an earlier order of the same key")
          .isEmpty();
    }

    @Override
    public void assertKept(long sent) {
      look();
    }
  }

  private static final class OffsetsOnlyMoveForward implements Guarantee {
    private final Admin admin;
    private final String group;
    private final Map<TopicPartition, Long> highest = new HashMap<>();

    private OffsetsOnlyMoveForward(Admin admin, String group) {
      this.admin = admin;
      this.group = group;
    }

    @Override
    public void look() throws Exception {
      Map<TopicPartition, OffsetAndMetadata> offsets =
          admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
      offsets.forEach(
          (partition, at) -> {
            long now = at == null ? 0 : at.offset();
            assertThat(now)
                .as("offset of %s", partition)
                .isGreaterThanOrEqualTo(highest.getOrDefault(partition, 0L));
            highest.put(partition, now);
          });
    }

    @Override
    public void assertKept(long sent) throws Exception {
      look();
      assertThat(highest.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(sent);
    }
  }
}
