package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * Records that releases have written stand here as bytes: later releases must go on reading them.
 */
final class RecordFormatTest {
  private static final EffectToken TOKEN =
      EffectToken.ofBytes(HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f"));

  static final String CLAIMED_1 =
      "1100062b2b129b00000194445f55300194445ee000010001000200010203040506070809"
          + "0a0b0c0d0e0f0a0b0c0d04686f7374";
  static final String DONE_1 = "1300677e0c000001020300000000" + "72";
  static final String DONE_1_GENERATION_3 = "1306677e0c0000010203deadbeef0003";
  static final String REJECTED_1 = "1400677e0c000001020300000000" + "6e6f";
  static final String FREE_1_GENERATION_2 = "15000002";

  @Test
  void recordsOfFormat1AreReadAsTheyWereWritten() {
    EffectRecord claimed = decode(CLAIMED_1);
    assertThat(claimed.state()).isEqualTo(EffectRecord.State.CLAIMED);
    assertThat(claimed.token).isEqualTo(TOKEN);
    assertThat(claimed.earlierAttemptUnknown()).isTrue();
    assertThat(claimed.indexed).isFalse();
    assertThat(claimed.generation()).isEqualTo(1);
    assertThat(claimed.attempts()).isEqualTo(2);
    assertThat(claimed.owner()).isEqualTo("host");
    assertThat(claimed.fingerprint()).isEqualTo(0x0a0b0c0d);
    assertThat(claimed.leaseUntil()).isAfter(claimed.since());

    EffectRecord done = decode(DONE_1);
    assertThat(done.state()).isEqualTo(EffectRecord.State.DONE);
    assertThat(done.receipt()).containsExactly('r');
    assertThat(done.receiptKept()).isTrue();
    assertThat(done.since()).isEqualTo(Instant.ofEpochSecond(0x677e0c00));
    EffectRecord third = decode(DONE_1_GENERATION_3);
    assertThat(third.generation()).isEqualTo(3);
    assertThat(third.receiptKept()).isFalse();
    assertThat(third.fingerprint()).isEqualTo(0xdeadbeef);
    assertThat(decode(REJECTED_1).reason()).isEqualTo("no");
    assertThat(decode(FREE_1_GENERATION_2).generation()).isEqualTo(2);
  }

  @Test
  void recordsAreWrittenAsTheyAreRead() {
    for (String hex :
        new String[] {CLAIMED_1, DONE_1, DONE_1_GENERATION_3, REJECTED_1, FREE_1_GENERATION_2}) {
      assertThat(decode(hex).encode()).isEqualTo(HexFormat.of().parseHex(hex));
    }
  }

  @Test
  void everyShorterFormIsUnreadableAndNeverFails() {
    for (String hex : new String[] {CLAIMED_1, DONE_1_GENERATION_3, FREE_1_GENERATION_2}) {
      byte[] whole = HexFormat.of().parseHex(hex);
      int least = hex.equals(CLAIMED_1) ? whole.length - 1 : whole.length;
      for (int length = 0; length < least; length++) {
        assertThat(EffectRecord.decode(Arrays.copyOf(whole, length)).state())
            .isIn(EffectRecord.State.UNREADABLE);
      }
    }
    byte[] newer = HexFormat.of().parseHex(DONE_1);
    newer[0] = 0x23;
    assertThat(EffectRecord.decode(newer).state()).isEqualTo(EffectRecord.State.UNREADABLE);
  }

  private static EffectRecord decode(String hex) {
    return EffectRecord.decode(HexFormat.of().parseHex(hex));
  }
}
