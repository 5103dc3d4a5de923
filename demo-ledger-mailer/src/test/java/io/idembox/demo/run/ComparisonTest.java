package io.idembox.demo.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private final Comparison mails = new Comparison("mail", Map.of("order-1", "a", "order-2", "b"));

  @Test
  void oneRightThingForEachOrderIsRight() {
    mails.found("order-1", "a");
    mails.found("order-2", "b");

    assertThat(mails.total()).isEqualTo(2);
    assertThat(mails.duplicates()).isZero();
    assertThat(mails.lost()).isZero();
    assertThat(mails.faults()).isEmpty();
  }

  @Test
  void oneTooManyAndOneTooFewDoNotCancelOut() {
    mails.found("order-1", "a");
    mails.found("order-1", "a");

    assertThat(mails.total()).isEqualTo(2);
    assertThat(mails.duplicates()).isEqualTo(1);
    assertThat(mails.lost()).isEqualTo(1);
    assertThat(mails.faults())
        .containsExactlyInAnyOrder(
            "order-1: 2 mails instead of one", "order-2: 0 mails instead of one");
  }

  @Test
  void somethingOfNoOrderIsADuplicate() {
    mails.found("order-1", "a");
    mails.found("order-2", "b");
    mails.found("order-3", "c");

    assertThat(mails.duplicates()).isEqualTo(1);
    assertThat(mails.faults()).containsExactly("order-3: a mail of no order");
  }

  @Test
  void somethingThatSaysTheWrongThingIsALoss() {
    mails.found("order-1", "a");
    mails.found("order-2", "a");

    assertThat(mails.duplicates()).isZero();
    assertThat(mails.lost()).isEqualTo(1);
    assertThat(mails.faults()).containsExactly("order-2: the mail says \"a\", not \"b\"");
  }
}
