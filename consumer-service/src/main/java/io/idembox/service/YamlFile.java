package io.idembox.service;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reads a YAML file into flat keys, each with its line. Works on the syntax tree, not on objects:
 * they have no lines, lose doubled keys, and have turned {@code 010} and {@code no} into something
 * else already.
 */
final class YamlFile {
  private static final int DEEPEST = 12;

  private final String name;
  private final List<Problem> problems;
  private final Map<String, RawValue> values = new LinkedHashMap<>();
  private final Map<String, Integer> lines = new HashMap<>();

  private YamlFile(String name, List<Problem> problems) {
    this.name = name;
    this.problems = problems;
  }

  /**
   * The values by key, in the order of the file.
   *
   * @param name of the file, for messages
   * @param problems gets what is wrong
   */
  static Map<String, RawValue> read(String name, String text, List<Problem> problems) {
    YamlFile file = new YamlFile(name, problems);
    try {
      LoadSettings settings =
          LoadSettings.builder().setLabel(name).setAllowDuplicateKeys(true).build();
      new Compose(settings).composeString(text).ifPresent(root -> file.top(root));
    } catch (MarkedYamlEngineException e) {
      // Not the whole message: it quotes the line, which may hold a secret.
      String line = e.getProblemMark().map(mark -> ":" + (mark.getLine() + 1)).orElse("");
      problems.add(new Problem(name + line, "", "not YAML: " + e.getProblem()));
    } catch (YamlEngineException e) {
      problems.add(new Problem(name, "", "not YAML: " + e.getClass().getSimpleName()));
    }
    return file.values;
  }

  private void top(Node root) {
    if (root instanceof MappingNode mapping) {
      mapping(mapping, "", 0);
    } else {
      problem(root, "", "must be keys with values, such as 'consumer:' with 'name: billing' below");
    }
  }

  private void mapping(MappingNode mapping, String prefix, int depth) {
    if (depth > DEEPEST) {
      problem(mapping, prefix, "is nested too deeply");
      return;
    }
    for (NodeTuple tuple : mapping.getValue()) {
      if (tuple.getKeyNode() instanceof ScalarNode key) {
        String name = prefix.isEmpty() ? key.getValue() : prefix + "." + key.getValue();
        value(key, tuple.getValueNode(), name, depth);
      } else {
        problem(tuple.getKeyNode(), prefix, "has a key that is not a text");
      }
    }
  }

  private void value(Node at, Node node, String key, int depth) {
    if (node instanceof MappingNode mapping) {
      if (mapping.getValue().isEmpty()) {
        problem(at, key, "is empty; leave it out");
      }
      twice(at, key, false);
      mapping(mapping, key, depth + 1);
    } else if (node instanceof SequenceNode sequence) {
      sequence(at, sequence, key, depth);
    } else if (node instanceof ScalarNode scalar) {
      if (scalar.getTag().equals(Tag.NULL)) {
        problem(at, key, "has no value; give it one, or leave it out");
      } else if (twice(at, key, true)) {
        values.put(key, new RawValue(scalar.getValue(), false, Origin.of(place(at))));
      }
    }
  }

  private void sequence(Node at, SequenceNode sequence, String key, int depth) {
    if (!twice(at, key, true)) {
      return;
    }
    if (sequence.getValue().isEmpty()) {
      problem(at, key, "is an empty list; leave it out");
      return;
    }
    if (sequence.getValue().stream().allMatch(ScalarNode.class::isInstance)) {
      List<String> texts =
          sequence.getValue().stream().map(node -> ((ScalarNode) node).getValue()).toList();
      if (texts.stream().anyMatch(text -> text.contains(","))) {
        problem(at, key, "has a comma in an element");
        return;
      }
      values.put(key, new RawValue(String.join(",", texts), true, Origin.of(place(at))));
      return;
    }
    int place = 0;
    for (Node element : sequence.getValue()) {
      if (element instanceof MappingNode mapping) {
        mapping(mapping, key + "[" + place + "]", depth + 1);
      } else {
        problem(element, key, "has elements of different kinds");
      }
      place++;
    }
  }

  /**
   * Whether the key is written here for the first time. Two sections of one name are refused too,
   * though their keys may differ: one of them is easily overlooked.
   */
  private boolean twice(Node at, String key, boolean leaf) {
    Integer before = lines.putIfAbsent((leaf ? "" : "section ") + key, line(at));
    if (before != null) {
      problem(at, key, "is written twice, before in line " + before + "; remove one");
      return false;
    }
    return true;
  }

  private void problem(Node at, String key, String rule) {
    problems.add(new Problem(place(at), key, rule));
  }

  private String place(Node node) {
    return name + ":" + line(node);
  }

  private static int line(Node node) {
    return node.getStartMark().map(Mark::getLine).orElse(0) + 1;
  }
}
