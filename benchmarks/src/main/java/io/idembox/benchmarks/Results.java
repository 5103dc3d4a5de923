package io.idembox.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/** What was measured. Not thread-safe. */
final class Results {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private final Map<Workload, Map<Contender, List<RunFigures>>> runs =
      new EnumMap<>(Workload.class);

  void add(Workload workload, Contender contender, RunFigures figures) {
    runs.computeIfAbsent(workload, w -> new LinkedHashMap<>())
        .computeIfAbsent(contender, c -> new ArrayList<>())
        .add(figures);
  }

  /** The contenders of a workload that were measured, in the order of their turns. */
  List<Contender> contendersOf(Workload workload) {
    return List.copyOf(runs.getOrDefault(workload, Map.of()).keySet());
  }

  /** The median of the runs, or empty if there was none. */
  OptionalDouble median(
      Workload workload, Contender contender, ToDoubleFunction<RunFigures> figure) {
    List<RunFigures> measured =
        runs.getOrDefault(workload, Map.of()).getOrDefault(contender, List.of());
    double[] sorted = measured.stream().mapToDouble(figure).sorted().toArray();
    if (sorted.length == 0) {
      return OptionalDouble.empty();
    }
    int middle = sorted.length / 2;
    return OptionalDouble.of(
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
  }

  /** {@code {"workloads": {NAME: {CONTENDER: figures}}}}; figures are medians of the runs. */
  String json() {
    Map<String, Object> workloads = new LinkedHashMap<>();
    runs.forEach(
        (workload, contenders) -> {
          Map<String, Object> figures = new LinkedHashMap<>();
          contenders.forEach(
              (contender, measured) ->
                  figures.put(contender.toString(), figures(workload, contender, measured)));
          workloads.put(workload.toString(), figures);
        });
    try {
      return JSON.writeValueAsString(Map.of("workloads", workloads));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Numbers cannot be written as JSON", e);
    }
  }

  private Map<String, Object> figures(
      Workload workload, Contender contender, List<RunFigures> measured) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put(
        "messagesPerSecond",
        median(workload, contender, RunFigures::messagesPerSecond).orElseThrow());
    figures.put(
        "cpuSecondsPer100k",
        median(workload, contender, RunFigures::cpuSecondsPer100k).orElseThrow());
    figures.put("peakRssMiB", median(workload, contender, RunFigures::peakRssMiB).orElseThrow());
    figures.put("runs", measured);
    return figures;
  }
}
