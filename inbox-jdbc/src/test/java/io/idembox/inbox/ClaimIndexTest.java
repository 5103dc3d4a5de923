package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class ClaimIndexTest {
  private static final UUID A = new UUID(0x0123456789abcdefL, 0xfedcba9876543210L);
  private static final UUID B = new UUID(0, 1);
  private static final UUID C = new UUID(-1, -1);

  @Test
  void idsAreWrittenAsTheirCanonicalText() {
    assertThat(index(A, B, C).ids()).isEqualTo("{" + A + "," + B + "," + C + "}");
    assertThat(index(A).ids()).isEqualTo("{" + A + "}");
    assertThat(index().ids()).isEqualTo("{}");
  }

  @Test
  void anIdThatComesAgainCountsOnceAtItsFirstPlace() {
    ClaimIndex index = index(A, B, A, C, B);

    assertThat(index.size()).isEqualTo(3);
    assertThat(index.ids()).isEqualTo("{" + A + "," + B + "," + C + "}");
    assertThat(index.allDistinct().stream()).containsExactly(0, 1, 3);
    assertThat(index.indexOf(A)).isZero();
    assertThat(index.indexOf(B)).isEqualTo(1);
    assertThat(index.indexOf(C)).isEqualTo(3);
    assertThat(index.distinct(2).messageId()).isEqualTo(C);
  }

  @Test
  void idsWhoseBitsMixToTheSameSlotAreToldApart() {
    List<UUID> ids = new ArrayList<>();
    for (long i = 0; i < 1_000; i++) {
      // High and low cancel each other out in the hash.
      ids.add(new UUID(i, i));
    }
    ClaimIndex index = index(ids.toArray(UUID[]::new));

    assertThat(index.size()).isEqualTo(1_000);
    assertThat(ids.stream().map(index::indexOf).collect(Collectors.toSet())).hasSize(1_000);
  }

  @Test
  void anIdThatWasNotClaimedIsRefused() {
    ClaimIndex index = index(A);

    assertThatThrownBy(() -> index.indexOf(B))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(B.toString());
  }

  private static ClaimIndex index(UUID... ids) {
    List<InboxClaim> claims = new ArrayList<>();
    for (UUID id : ids) {
      claims.add(new InboxClaim(id, 1, 0, claims.size()));
    }
    return new ClaimIndex(claims);
  }
}
