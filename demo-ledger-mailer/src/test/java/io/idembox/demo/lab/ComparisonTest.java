package io.idembox.demo.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ComparisonTest {

  @Test
  void figuresThatAreAsWantedHold() {
    Figures wanted = Figures.of(Figure.MAILS, 1).and(Figure.DUPLICATES, 0);

    assertThat(compared(wanted, wanted.and(Figure.ROWS, 7)).faults()).isEmpty();
  }

  @Test
  void aCountThatIsOffIsNamedWithBothNumbers() {
    Comparison one = compared(Figures.of(Figure.MAILS, 1), Figures.of(Figure.MAILS, 2));

    assertThat(one.faults()).containsExactly("a thing: mails is 2, not 1");
  }

  @Test
  void aCountThatIsTooLowIsOffToo() {
    assertThat(compared(Figures.of(Figure.MAILS, 2), Figures.of(Figure.MAILS, 1)).faults())
        .hasSize(1);
  }

  @Test
  void aTimeIsALimit() {
    Figures limit = Figures.of(Figure.MICROS_PER_SKIP, 2_000);

    assertThat(compared(limit, Figures.of(Figure.MICROS_PER_SKIP, 12.5)).faults()).isEmpty();
    assertThat(compared(limit, Figures.of(Figure.MICROS_PER_SKIP, 2_000.1)).faults())
        .containsExactly("a thing: microseconds an event is 2000.1, above 2000");
  }

  @Test
  void aFigureThatWasNotCountedIsOff() {
    assertThat(compared(Figures.of(Figure.ROWS, 1), Figures.NONE).faults())
        .containsExactly("a thing: ledger rows was not counted");
  }

  private static Comparison compared(Figures wanted, Figures ours) {
    return new Comparison("a thing", Figures.NONE, wanted, ours);
  }
}
