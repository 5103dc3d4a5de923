package io.idembox.demo.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.demo.InvoiceRequested;
import io.idembox.demo.OrderCreated;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WorkloadTest {
  private final Workload workload = Workload.of(DemoPlan.FULL, 1);

  @Test
  void ordersCopiesAndRequestsAreAsManyAsPlanned() {
    assertThat(workload.orders()).hasSize(2_000).doesNotHaveDuplicates();
    assertThat(workload.records()).hasSize(2_300);
    assertThat(ofType(OrderCreated.TYPE)).hasSize(2_200);
    assertThat(ofType(InvoiceRequested.TYPE)).hasSize(100);
  }

  @Test
  void exactlyTheCopiesShareAMessageIdAndSayTheSame() {
    Map<UUID, List<PlannedRecord>> byId =
        workload.records().stream().collect(Collectors.groupingBy(PlannedRecord::messageId));

    assertThat(byId).hasSize(2_100);
    List<List<PlannedRecord>> twice =
        byId.values().stream().filter(records -> records.size() > 1).toList();
    assertThat(twice).hasSize(200);
    assertThat(twice)
        .allSatisfy(
            records -> {
              assertThat(records).hasSize(2);
              assertThat(records.get(0)).isEqualTo(records.get(1));
            });
  }

  @Test
  void aRequestFollowsItsOrderAndAsksForTheSameMail() {
    Map<String, OrderCreated> seen = new HashMap<>();
    Set<String> requested = new HashSet<>();
    for (PlannedRecord item : workload.records()) {
      if (item.event() instanceof OrderCreated order) {
        seen.put(order.id(), order);
      } else if (item.event() instanceof InvoiceRequested request) {
        OrderCreated order = seen.get(request.orderId());
        assertThat(order).as("order before %s", request).isNotNull();
        assertThat(request)
            .isEqualTo(new InvoiceRequested(order.id(), order.customer(), order.amount()));
        assertThat(item.orderId()).isEqualTo(order.id());
        assertThat(requested.add(request.orderId())).isTrue();
      }
    }
    assertThat(requested).hasSize(100);
  }

  @Test
  void theSameSeedGivesTheSameRecords() {
    assertThat(Workload.of(DemoPlan.FULL, 1)).isEqualTo(workload);
    assertThat(Workload.of(DemoPlan.FULL, 2)).isNotEqualTo(workload);
  }

  private List<PlannedRecord> ofType(String type) {
    return workload.records().stream().filter(item -> item.eventType().equals(type)).toList();
  }
}
