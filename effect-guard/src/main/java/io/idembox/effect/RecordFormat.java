package io.idembox.effect;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The bytes of a record, which the Lua scripts read and write too. Big-endian; the first byte holds
 * the format's version (high half) and the state (low half).
 *
 * <pre>
 * unsettled: head fence:8 until_ms:6 since_ms:6 flags generation:2 attempts:2 token:16 fingerprint:4 owner:1+n key
 * settled:   head flags at_s:4 mark:4 fingerprint:4 [generation:2] payload      14 bytes beside the receipt
 * free:      head flags generation:2
 * </pre>
 */
final class RecordFormat {
  static final int VERSION = 1;
  static final int FLAG_DOUBT_BEFORE = 1;
  static final int FLAG_INDEXED = 2;
  static final int FLAG_RECEIPT_NOT_KEPT = 2;
  static final int FLAG_GENERATION = 4;

  private static final int CLAIMED = 1;
  private static final int IN_DOUBT = 2;
  private static final int DONE = 3;
  private static final int REJECTED = 4;
  private static final int FREE = 5;

  private static final int FLAGS = 21;
  private static final int UNSETTLED_FIXED = 47;
  private static final int SETTLED_FIXED = 14;
  private static final int MAX_OWNER = 255;

  private RecordFormat() {}

  static byte head(EffectRecord.State state) {
    int code =
        switch (state) {
          case CLAIMED -> CLAIMED;
          case IN_DOUBT -> IN_DOUBT;
          case DONE -> DONE;
          case REJECTED -> REJECTED;
          case FREE -> FREE;
          case UNREADABLE ->
              throw new IllegalArgumentException("an unreadable record has no form of its own");
        };
    return (byte) ((VERSION << 4) | code);
  }

  static byte[] encode(EffectRecord record) {
    return switch (record.state) {
      case CLAIMED, IN_DOUBT -> encodeUnsettled(record);
      case DONE, REJECTED -> encodeSettled(record);
      case FREE ->
          ByteBuffer.allocate(4)
              .put(head(record.state))
              .put((byte) 0)
              .putShort((short) record.generation)
              .array();
      case UNREADABLE -> record.payload;
    };
  }

  private static byte[] encodeUnsettled(EffectRecord record) {
    byte[] owner = owner(record.owner);
    ByteBuffer out = ByteBuffer.allocate(UNSETTLED_FIXED + owner.length + record.key.length);
    out.put(head(record.state)).putLong(record.fence);
    millis(out, record.untilMillis);
    millis(out, record.sinceMillis);
    out.put(
        (byte)
            ((record.doubtBefore ? FLAG_DOUBT_BEFORE : 0) | (record.indexed ? FLAG_INDEXED : 0)));
    out.putShort((short) record.generation).putShort((short) record.attempts);
    out.put(record.token.raw())
        .putInt(record.fingerprint)
        .put((byte) owner.length)
        .put(owner)
        .put(record.key);
    return out.array();
  }

  private static byte[] encodeSettled(EffectRecord record) {
    boolean generation = record.generation > 0;
    ByteBuffer out =
        ByteBuffer.allocate(SETTLED_FIXED + (generation ? 2 : 0) + record.payload.length);
    int flags =
        (record.receiptKept ? 0 : FLAG_RECEIPT_NOT_KEPT) | (generation ? FLAG_GENERATION : 0);
    out.put(head(record.state)).put((byte) flags).putInt((int) (record.sinceMillis / 1000));
    out.putInt(record.mark).putInt(record.fingerprint);
    if (generation) {
      out.putShort((short) record.generation);
    }
    return out.put(record.payload).array();
  }

  static EffectRecord decode(byte[] stored) {
    if (stored.length < 4 || (stored[0] & 0xf0) >> 4 != VERSION) {
      return EffectRecord.unreadable(stored);
    }
    int state = stored[0] & 0x0f;
    return switch (state) {
      case CLAIMED -> unsettled(EffectRecord.State.CLAIMED, stored);
      case IN_DOUBT -> unsettled(EffectRecord.State.IN_DOUBT, stored);
      case DONE -> settled(EffectRecord.State.DONE, stored);
      case REJECTED -> settled(EffectRecord.State.REJECTED, stored);
      case FREE -> EffectRecord.free(ByteBuffer.wrap(stored).getShort(2) & 0xffff);
      default -> EffectRecord.unreadable(stored);
    };
  }

  private static EffectRecord unsettled(EffectRecord.State state, byte[] stored) {
    if (stored.length < UNSETTLED_FIXED
        || stored.length < UNSETTLED_FIXED + (stored[UNSETTLED_FIXED - 1] & 0xff)) {
      return EffectRecord.unreadable(stored);
    }
    ByteBuffer in = ByteBuffer.wrap(stored);
    int owner = stored[UNSETTLED_FIXED - 1] & 0xff;
    return EffectRecord.unsettled(
        state,
        (stored[FLAGS] & FLAG_DOUBT_BEFORE) != 0,
        (stored[FLAGS] & FLAG_INDEXED) != 0,
        in.getShort(22) & 0xffff,
        in.getShort(24) & 0xffff,
        EffectToken.ofBytes(Arrays.copyOfRange(stored, 26, 42)),
        in.getLong(1),
        millis(in, 9),
        millis(in, 15),
        in.getInt(42),
        new String(stored, UNSETTLED_FIXED, owner, StandardCharsets.UTF_8),
        Arrays.copyOfRange(stored, UNSETTLED_FIXED + owner, stored.length));
  }

  private static EffectRecord settled(EffectRecord.State state, byte[] stored) {
    boolean generation = (stored[1] & FLAG_GENERATION) != 0;
    int from = SETTLED_FIXED + (generation ? 2 : 0);
    if (stored.length < from) {
      return EffectRecord.unreadable(stored);
    }
    ByteBuffer in = ByteBuffer.wrap(stored);
    return EffectRecord.settled(
        state,
        (stored[1] & FLAG_RECEIPT_NOT_KEPT) == 0,
        generation ? in.getShort(SETTLED_FIXED) & 0xffff : 0,
        in.getInt(6),
        (in.getInt(2) & 0xffffffffL) * 1000,
        in.getInt(10),
        Arrays.copyOfRange(stored, from, stored.length));
  }

  /** The label in UTF-8, cut to its length byte. */
  static byte[] owner(String label) {
    byte[] bytes = label.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= MAX_OWNER ? bytes : Arrays.copyOf(bytes, MAX_OWNER);
  }

  private static void millis(ByteBuffer out, long millis) {
    out.putShort((short) (millis >>> 32)).putInt((int) millis);
  }

  static long millis(ByteBuffer in, int at) {
    return ((in.getShort(at) & 0xffffL) << 32) | (in.getInt(at + 2) & 0xffffffffL);
  }
}
