package io.idembox.effect;

import io.idembox.testkit.EmbeddedRedis;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How far replicas are. WAIT does not tell: it counts the writes of its own connection only. */
final class Replication {
  private static final Pattern WRITTEN = Pattern.compile("master_repl_offset:(\\d+)");
  private static final Pattern READ = Pattern.compile("slave0:.*offset=(\\d+)");

  private Replication() {}

  /** Whether it is a replica, or a master whose replica has read all that it wrote. */
  static boolean isLevel(EmbeddedRedis node) {
    String info = node.command("INFO", "replication");
    if (!info.contains("role:master")) {
      return true;
    }
    Matcher written = WRITTEN.matcher(info);
    Matcher read = READ.matcher(info);
    return written.find() && read.find() && written.group(1).equals(read.group(1));
  }
}
