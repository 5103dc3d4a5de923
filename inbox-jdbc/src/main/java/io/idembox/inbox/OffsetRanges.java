package io.idembox.inbox;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of offsets, kept as half-open ranges that neither overlap nor touch. Immutable; looking one
 * offset up is a binary search and allocates nothing.
 */
public final class OffsetRanges {
  /** No offset. */
  public static final OffsetRanges EMPTY = new OffsetRanges(new long[0]);

  /** Start, end, start, end, ... ascending; each end is exclusive and below the next start. */
  private final long[] bounds;

  private OffsetRanges(long[] bounds) {
    this.bounds = bounds;
  }

  /**
   * The offsets from one up to another.
   *
   * @param from inclusive, 0 or more
   * @param to exclusive; the set is empty when it equals {@code from}
   * @throws IllegalArgumentException if the range lies below 0 or ends before it starts
   */
  public static OffsetRanges of(long from, long to) {
    if (from < 0 || to < from) {
      throw new IllegalArgumentException("Offsets from " + from + " up to " + to + " are no range");
    }
    return from == to ? EMPTY : new OffsetRanges(new long[] {from, to});
  }

  /**
   * Reads what {@link #toString} gives, and what PostgreSQL gives for an {@code int8multirange}.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public static OffsetRanges parse(String text) {
    if (text.equals("{}")) {
      return EMPTY;
    }
    if (!text.startsWith("{[") || !text.endsWith(")}")) {
      throw new IllegalArgumentException("Not a set of offset ranges: " + text);
    }
    String[] numbers = text.substring(2, text.length() - 2).split("\\),\\[|,", -1);
    long[] bounds = new long[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      bounds[i] = Long.parseLong(numbers[i]);
      if (i > 0 && bounds[i] <= bounds[i - 1]) {
        throw new IllegalArgumentException("Offset ranges out of order: " + text);
      }
    }
    if (bounds.length % 2 != 0) {
      throw new IllegalArgumentException("A range without an end: " + text);
    }
    return new OffsetRanges(bounds);
  }

  /** Whether the offset is in the set. */
  public boolean contains(long offset) {
    int at = Arrays.binarySearch(bounds, offset);
    // Found: a start is inside, an end is not. Not found: inside when an odd number of bounds lies
    // below.
    return at >= 0 ? (at & 1) == 0 : (-(at + 1) & 1) == 1;
  }

  /** The first offset from the given one on that is not in the set. */
  public long firstGapFrom(long offset) {
    int at = Arrays.binarySearch(bounds, offset);
    int next = at >= 0 ? at + 1 : -(at + 1);
    return contains(offset) ? bounds[next] : offset;
  }

  /** Whether all offsets of the half-open range are in the set. */
  public boolean covers(long from, long to) {
    return from >= to || firstGapFrom(from) >= to;
  }

  /** Both sets together. */
  public OffsetRanges plus(OffsetRanges other) {
    if (other.bounds.length == 0) {
      return this;
    }
    if (bounds.length == 0) {
      return other;
    }
    return combine(other, true);
  }

  /** This set with a half-open range added. */
  public OffsetRanges plus(long from, long to) {
    return plus(of(from, to));
  }

  /** What is in this set and not in the other. */
  public OffsetRanges minus(OffsetRanges other) {
    return bounds.length == 0 || other.bounds.length == 0 ? this : combine(other, false);
  }

  /** Walks over the bounds of both sets and keeps those where membership changes. */
  private OffsetRanges combine(OffsetRanges other, boolean union) {
    long[] kept = new long[bounds.length + other.bounds.length];
    int count = 0;
    int i = 0;
    int j = 0;
    boolean inside = false;
    while (i < bounds.length || j < other.bounds.length) {
      long mine = i < bounds.length ? bounds[i] : Long.MAX_VALUE;
      long theirs = j < other.bounds.length ? other.bounds[j] : Long.MAX_VALUE;
      long at = Math.min(mine, theirs);
      // An open range ends at the highest number there is, which also stands for "no bound left".
      if (i < bounds.length && mine == at) {
        i++;
      }
      if (j < other.bounds.length && theirs == at) {
        j++;
      }
      boolean inMine = (i & 1) == 1;
      boolean inOther = (j & 1) == 1;
      boolean now = union ? inMine || inOther : inMine && !inOther;
      if (now != inside) {
        kept[count++] = at;
        inside = now;
      }
    }
    return count == 0 ? EMPTY : new OffsetRanges(Arrays.copyOf(kept, count));
  }

  /** Whether there is no offset in it. */
  public boolean isEmpty() {
    return bounds.length == 0;
  }

  /** How many offsets are in it. */
  public long count() {
    long count = 0;
    for (int i = 0; i < bounds.length; i += 2) {
      count += bounds[i + 1] - bounds[i];
    }
    return count;
  }

  /**
   * The lowest offset in it.
   *
   * @throws IllegalStateException if it is empty
   */
  public long lowest() {
    if (bounds.length == 0) {
      throw new IllegalStateException("An empty set of offsets has no lowest one");
    }
    return bounds[0];
  }

  /** The offset after the highest one; 0 when it is empty. */
  public long end() {
    return bounds.length == 0 ? 0 : bounds[bounds.length - 1];
  }

  /** The ranges, ascending. */
  public List<Range> ranges() {
    List<Range> ranges = new ArrayList<>(bounds.length / 2);
    for (int i = 0; i < bounds.length; i += 2) {
      ranges.add(new Range(bounds[i], bounds[i + 1]));
    }
    return ranges;
  }

  /**
   * One range.
   *
   * @param from inclusive
   * @param to exclusive
   */
  public record Range(long from, long to) {}

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof OffsetRanges ranges && Arrays.equals(bounds, ranges.bounds);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bounds);
  }

  /** As PostgreSQL writes a multirange: {@code {[0,5),[7,9)}}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < bounds.length; i += 2) {
      text.append(i == 0 ? "[" : ",[")
          .append(bounds[i])
          .append(',')
          .append(bounds[i + 1])
          .append(')');
    }
    return text.append('}').toString();
  }
}
