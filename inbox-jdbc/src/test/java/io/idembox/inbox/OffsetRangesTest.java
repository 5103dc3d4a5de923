package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sets of offsets against the plainest model there is, a bit for each offset. */
final class OffsetRangesTest {
  private static final int SPAN = 64;

  @Provide
  Arbitrary<BitSet> offsets() {
    return Arbitraries.integers()
        .between(0, SPAN - 1)
        .set()
        .map(
            set -> {
              BitSet bits = new BitSet();
              set.forEach(bits::set);
              return bits;
            });
  }

  @Property
  void unionAndDifferenceAreThoseOfTheirOffsets(
      @ForAll("offsets") BitSet a, @ForAll("offsets") BitSet b) {
    BitSet union = (BitSet) a.clone();
    union.or(b);
    BitSet difference = (BitSet) a.clone();
    difference.andNot(b);

    assertThat(ranges(a).plus(ranges(b))).isEqualTo(ranges(union));
    assertThat(ranges(a).minus(ranges(b))).isEqualTo(ranges(difference));
  }

  @Property
  void everyQuestionIsAnsweredAsByTheOffsets(@ForAll("offsets") BitSet bits) {
    OffsetRanges ranges = ranges(bits);

    for (int offset = 0; offset <= SPAN; offset++) {
      assertThat(ranges.contains(offset)).isEqualTo(bits.get(offset));
      assertThat(ranges.firstGapFrom(offset)).isEqualTo(bits.nextClearBit(offset));
      assertThat(ranges.covers(offset / 2, offset))
          .isEqualTo(bits.nextClearBit(offset / 2) >= offset);
    }
    assertThat(ranges.count()).isEqualTo(bits.cardinality());
    assertThat(ranges.end()).isEqualTo(bits.length());
    assertThat(ranges.isEmpty()).isEqualTo(bits.isEmpty());
    assertThat(OffsetRanges.parse(ranges.toString())).isEqualTo(ranges);
  }

  /**
   * Found by the property test of progress: the end of an open range was taken for the end of the
   * set.
   */
  @Test
  void everythingFromAnOffsetOnIsARangeLikeOthers() {
    OffsetRanges from90 = OffsetRanges.of(90, Long.MAX_VALUE);

    assertThat(OffsetRanges.of(0, 100).minus(from90)).isEqualTo(OffsetRanges.of(0, 90));
    assertThat(OffsetRanges.of(0, 10).plus(50, 60).minus(from90).ranges()).hasSize(2);
    assertThat(OffsetRanges.of(0, 10).plus(from90).ranges()).hasSize(2);
    assertThat(from90.plus(from90)).isEqualTo(from90);
    assertThat(from90.minus(from90).isEmpty()).isTrue();
    assertThat(from90.contains(Long.MAX_VALUE - 1)).isTrue();
  }

  @Test
  void touchingRangesBecomeOne() {
    assertThat(OffsetRanges.of(0, 5).plus(5, 7).toString()).isEqualTo("{[0,7)}");
    assertThat(OffsetRanges.of(0, 5).plus(6, 7).ranges())
        .containsExactly(new OffsetRanges.Range(0, 5), new OffsetRanges.Range(6, 7));
  }

  @Test
  void whatIsNoRangeIsRefused() {
    assertThatThrownBy(() -> OffsetRanges.of(-1, 3)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> OffsetRanges.of(3, 2)).isInstanceOf(IllegalArgumentException.class);
    assertThat(OffsetRanges.of(3, 3)).isEqualTo(OffsetRanges.EMPTY);
    assertThatThrownBy(OffsetRanges.EMPTY::lowest).isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "{", "[0,5)", "{[0,5)", "{[5,0)}", "{[0,5),[3,9)}", "{[0,x)}", "{(,5)}"})
  void whatIsNoMultirangeIsRefused(String text) {
    assertThatThrownBy(() -> OffsetRanges.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  private static OffsetRanges ranges(BitSet bits) {
    OffsetRanges ranges = OffsetRanges.EMPTY;
    for (int from = bits.nextSetBit(0); from >= 0; ) {
      int to = bits.nextClearBit(from);
      ranges = ranges.plus(from, to);
      from = bits.nextSetBit(to);
    }
    return ranges;
  }
}
