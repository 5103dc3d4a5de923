package io.idembox.benchmarks;

/** A run that measured nothing that could be believed, with the reason. */
final class BenchmarkException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BenchmarkException(String message) {
    super(message);
  }

  BenchmarkException(String message, Throwable cause) {
    super(message, cause);
  }
}
