package io.idembox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class OrderTest {
  @Test
  void anOrderHasAbout250BytesOfJsonAndReadsBackTheSame() {
    Order order = Order.number(123_456);

    assertThat(order.json()).hasSizeBetween(230, 270);
    assertThat(Order.of(order.json())).isEqualTo(order);
  }

  @Test
  void idsAreDistinctAndOfVersion4() {
    Set<UUID> ids = new HashSet<>();
    for (int number = 0; number < 20_000; number++) {
      UUID id = Order.id(number);
      assertThat(id.version()).isEqualTo(4);
      assertThat(id.variant()).isEqualTo(2);
      ids.add(id);
    }
    assertThat(ids).hasSize(20_000);
  }

  @Test
  void timeOrderedIdsAreDistinctOfVersion7AndGrowWithTime() {
    Set<UUID> ids = new HashSet<>();
    long before = 0;
    for (int number = 0; number < 20_000; number++) {
      UUID id = Order.timeOrderedId(number);
      assertThat(id.version()).isEqualTo(7);
      assertThat(id.variant()).isEqualTo(2);
      long millisecond = id.getMostSignificantBits() >>> 16;
      assertThat(millisecond).isBetween(before, Order.FIRST_ID_MS + number);
      before = millisecond;
      ids.add(id);
    }
    assertThat(ids).hasSize(20_000);
  }

  @Test
  void copiesHoldTheSameOrdersAndKnownOnesAreATenthOfThem() {
    assertThat(Topic.COPIES.records(1_000)).isEqualTo(Topic.ORDERS.records(1_000));
    assertThat(Topic.COPIES.number(7)).isEqualTo(Topic.ORDERS.number(7));
    assertThat(Topic.KNOWN.records(1_000)).isEqualTo(100);
    assertThat(Topic.KNOWN.number(99)).isEqualTo(990);
    assertThat(Topic.BACKLOG.records(1_000)).isEqualTo(10_000);
  }

  @Test
  void recordsAreSpreadOverAllPartitionsExceptTheHotOnes() {
    Set<Integer> spread = new HashSet<>();
    for (int n = 0; n < 64; n++) {
      spread.add(Topic.ORDERS.partition(n, 8));
      assertThat(Topic.HOT.partition(n, 8)).isZero();
    }
    assertThat(spread).hasSize(8);
  }
}
