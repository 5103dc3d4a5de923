package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.JavaProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/** One group whose members come and go at random while orders arrive, and who watches it. */
final class SoakRun implements AutoCloseable {
  static final int PARTITIONS = 6;
  private static final int MOST_MEMBERS = 3;
  private static final int KEYS = 30;

  /** Where it runs, and how. */
  record Place(
      String brokers,
      String jdbcUrl,
      DataSource database,
      String redis,
      String topic,
      String group,
      String protocol,
      Ordering ordering) {}

  private final Place place;
  private final Random random;
  private final Orders orders;
  private final Admin admin;
  private final List<SoakGuarantees.Guarantee> guarantees;
  private final List<JavaProcess> members = new ArrayList<>();
  private int sent;

  SoakRun(Place place, long seed) {
    this.place = place;
    this.random = new Random(seed);
    this.orders = new Orders(place.brokers());
    this.admin = Admin.create(Map.of("bootstrap.servers", place.brokers()));
    this.guarantees = SoakGuarantees.all(place.database(), admin, place.group());
  }

  void run(Duration time) throws Exception {
    long end = System.nanoTime() + time.toNanos();
    members.add(member());
    while (System.nanoTime() < end) {
      send(20);
      disturb();
      look();
    }
    send(20);
    if (members.isEmpty()) {
      members.add(member());
    }
    await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(500))
        .until(
            () -> {
              look();
              return committed() == sent;
            });
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                count("select count(*) from idembox.effect where due_at is not null") == 0
                    && count("select count(*) from sent") >= sent);
    for (SoakGuarantees.Guarantee guarantee : guarantees) {
      guarantee.assertKept(sent);
    }
  }

  private void look() throws Exception {
    for (SoakGuarantees.Guarantee guarantee : guarantees) {
      guarantee.look();
    }
  }

  /** A member that has passed its start-up checks: one frozen in them refuses to start, rightly. */
  private JavaProcess member() {
    JavaProcess member =
        JavaProcess.builder(SoakMember.class)
            .jvmArgs(FieldCaseProcesses.QUICK_TO_START.toArray(String[]::new))
            .args(
                place.brokers(),
                place.jdbcUrl(),
                place.redis(),
                place.topic(),
                place.group(),
                place.protocol(),
                place.ordering().name())
            .start();
    member.awaitLine(
        "Consumer " + place.group() + " (group " + place.group() + ") starts",
        Duration.ofMinutes(1));
    return member;
  }

  private void disturb() throws InterruptedException {
    for (JavaProcess each : members) {
      assertThat(each.isAlive())
          .as(() -> "a member ended by itself:\n" + String.join("\n", each.output()))
          .isTrue();
    }
    @Nullable JavaProcess member =
        members.isEmpty() ? null : members.get(random.nextInt(members.size()));
    switch (member == null ? 3 : random.nextInt(6)) {
      case 0 -> {
        members.remove(member);
        member.kill();
      }
      case 1 -> {
        members.remove(member);
        member.terminate();
        member.awaitExit(Duration.ofSeconds(40));
      }
      case 2 -> {
        member.freeze();
        TimeUnit.MILLISECONDS.sleep(1_000 + random.nextInt(8_000));
        member.thaw();
      }
      default -> {
        if (members.size() < MOST_MEMBERS) {
          members.add(member());
        }
      }
    }
    // The disturbances need time to meet work; how much is part of the dice.
    TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(2_500));
  }

  private void send(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      int key = sent % KEYS;
      orders.sendKeyed(
          place.topic(), key % PARTITIONS, "key-" + key, "m" + sent, "key-" + key + ":" + sent);
      sent++;
    }
    orders.flush();
  }

  private long committed() throws Exception {
    return admin
        .listConsumerGroupOffsets(place.group())
        .partitionsToOffsetAndMetadata()
        .get()
        .values()
        .stream()
        .mapToLong(SoakRun::offset)
        .sum();
  }

  private static long offset(@Nullable OffsetAndMetadata at) {
    return at == null ? 0 : at.offset();
  }

  private long count(String sql) {
    return DatabaseRows.count(place.database(), sql);
  }

  @Override
  public void close() {
    members.forEach(JavaProcess::close);
    orders.close();
    admin.close(Duration.ofSeconds(1));
  }
}
