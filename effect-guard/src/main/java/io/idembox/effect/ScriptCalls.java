package io.idembox.effect;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands as scripts, by their names, and once more with their texts where the server has
 * forgotten them. Thread-safe.
 */
final class ScriptCalls {
  private static final long ALONE_AFTER_REFUSAL = Duration.ofSeconds(10).toNanos();

  private final RedisLink link;
  private final RedisCommands commands;
  private final ServerClock clock = new ServerClock();
  private volatile long aloneUntil = System.nanoTime();

  ScriptCalls(RedisLink link, Function<String, RedisKeys> keys) {
    this.link = link;
    this.commands = new RedisCommands(keys);
  }

  CompletionStage<StoreReply> apply(StoreCommand command) {
    Single call = new Single(command);
    link.dispatch(call.bySha());
    return call.reply;
  }

  List<CompletionStage<StoreReply>> applyAll(List<? extends StoreCommand> all) {
    List<Single> calls = new ArrayList<>(all.size());
    List<CompletionStage<StoreReply>> replies = new ArrayList<>(all.size());
    for (StoreCommand command : all) {
      Single call = new Single(command);
      calls.add(call);
      replies.add(call.reply);
    }
    List<BulkScript> scripts = together() ? BulkScript.of(all) : null;
    if (scripts == null) {
      sendAlone(calls);
    } else {
      List<AsyncCommand<byte[], byte[], byte[]>> batch = new ArrayList<>(scripts.size());
      int from = 0;
      for (BulkScript script : scripts) {
        int to = from + script.commands().size();
        batch.add(new Many(script, calls.subList(from, to)).bySha());
        from = to;
      }
      link.dispatch(batch);
    }
    return replies;
  }

  /** In a cluster, the keys of a bulk are in as many slots as there are keys. */
  private boolean together() {
    return !link.cluster() && System.nanoTime() - aloneUntil >= 0;
  }

  /** One write and one flush for all, without touching the shared connection's auto-flush. */
  private void sendAlone(List<Single> calls) {
    List<AsyncCommand<byte[], byte[], byte[]>> batch = new ArrayList<>(calls.size());
    for (Single call : calls) {
      batch.add(call.bySha());
    }
    link.dispatch(batch);
  }

  private RedisScript.Text text(RedisScript script) {
    return script.text(link.scriptFlags());
  }

  private static byte[] source(RedisScript.Text text) {
    return EvalArgs.argument(text.source().getBytes(StandardCharsets.UTF_8));
  }

  private static AsyncCommand<byte[], byte[], byte[]> command(CommandType type, EvalArgs args) {
    return new AsyncCommand<>(
        new Command<>(type, new ByteArrayOutput<>(ByteArrayCodec.INSTANCE), args));
  }

  /**
   * A call by the script's name, to be sent; by its text, where that is not known.
   *
   * @param args the arguments, behind the name or the text
   */
  private AsyncCommand<byte[], byte[], byte[]> bySha(
      RedisScript script,
      Function<byte[], EvalArgs> args,
      BiConsumer<byte @Nullable [], @Nullable Throwable> answer) {
    AsyncCommand<byte[], byte[], byte[]> sent =
        command(CommandType.EVALSHA, args.apply(text(script).sha1Argument()));
    sent.onComplete(
        (bytes, failure) -> {
          if (failure instanceof RedisNoScriptException) {
            AsyncCommand<byte[], byte[], byte[]> byText =
                command(CommandType.EVAL, args.apply(source(text(script))));
            byText.onComplete(answer);
            link.dispatch(byText);
          } else {
            answer.accept(bytes, failure);
          }
        });
    return sent;
  }

  /** One command by its own script, which knows all cases. */
  private final class Single {
    private final StoreCommand command;
    private final CompletableFuture<StoreReply> reply = new CompletableFuture<>();

    Single(StoreCommand command) {
      this.command = command;
    }

    AsyncCommand<byte[], byte[], byte[]> bySha() {
      return ScriptCalls.this.bySha(
          RedisCommands.script(command),
          text -> commands.args(command, text, clock.millis()),
          this::answer);
    }

    private void answer(byte @Nullable [] bytes, @Nullable Throwable failure) {
      if (failure != null || bytes == null) {
        reply.completeExceptionally(link.failed(failure));
        return;
      }
      StoreReply answer;
      try {
        answer = RedisCommands.parse(command, bytes, clock.millis());
      } catch (RuntimeException e) {
        // Not from our scripts; whoever waits must not wait for ever.
        reply.completeExceptionally(RedisErrors.of(e, link.where()));
        return;
      }
      if (bytes.length > 1) {
        clock.learn(answer.at());
      }
      reply.complete(answer);
    }
  }

  /** Many commands by one script, which knows the usual case. */
  private final class Many {
    private final BulkScript script;
    private final List<Single> calls;

    Many(BulkScript script, List<Single> calls) {
      this.script = script;
      this.calls = calls;
    }

    AsyncCommand<byte[], byte[], byte[]> bySha() {
      return ScriptCalls.this.bySha(
          script.script(), text -> script.args(text, clock.millis()), this::answer);
    }

    private void answer(byte @Nullable [] bytes, @Nullable Throwable failure) {
      if (failure instanceof RedisCommandExecutionException) {
        // Refused as a whole, or ended in the middle, which takes nothing back: each is asked for
        // alone, with the same token, and gets the answer or the error that is its own. For a while
        // all are: a proxy in front of several servers refuses scripts over their keys each time.
        aloneUntil = System.nanoTime() + ALONE_AFTER_REFUSAL;
        sendAlone(calls);
        return;
      }
      if (failure != null || bytes == null) {
        // Applied or not: each is to be asked for again.
        EffectStoreException failed = link.failed(failure);
        calls.forEach(call -> call.reply.completeExceptionally(failed));
        return;
      }
      List<Single> left = new ArrayList<>();
      try {
        BitSet numbers = script.left(bytes);
        long now = clock.millis();
        for (int i = 0; i < calls.size(); i++) {
          if (numbers.get(i)) {
            left.add(calls.get(i));
          } else {
            StoreReply reply = script.reply(i, bytes, now);
            if (reply.record() != null) {
              clock.learn(reply.at());
            }
            calls.get(i).reply.complete(reply);
          }
        }
      } catch (RuntimeException e) {
        // Not from our script.
        EffectStoreException failed = RedisErrors.of(e, link.where());
        calls.forEach(call -> call.reply.completeExceptionally(failed));
        return;
      }
      if (!left.isEmpty()) {
        sendAlone(left);
      }
    }
  }
}
