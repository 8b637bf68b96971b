/*
 * A licence header belongs to nobody.
 */
package com.example.shop;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.*;

import java.io.IOException;
import java.util.*;
import java.util.function.Function;

/**
 * A doc comment belongs to what stands directly below it.
 */
@SuppressWarnings("unused")
public final class Declarations<K extends Comparable<K>, V> extends AbstractMap<K, V>
    implements Cloneable, Map.Entry<K, V> {
  /** Kept apart by a blank line: attached to nothing. */

  public static final int LIMIT = 10;

  private final static Map<String, List<Integer>> TABLE = Map.of(
      "one", List.of(1),
      "two", List.of(1, 2));

  // An ordinary comment is no doc comment.
  private int count, sizes[] = new int[3], total;
  protected transient volatile String größe = "Größe";

  static {
    class Hidden {}
    System.out.println(LIMIT);
  }

  {
    count = 1;
  }

  public Declarations() {
    this(LIMIT);
  }

  /** A constructor with type parameters of its own. */
  @Deprecated
  protected <T> Declarations(int count) throws IOException {
    super();
    this.count = requireNonNull(count);
  }

  /**
   * One of three overloads.
   *
   * @param name who to greet
   */
  // A comment between the two does not part them.
  @Override
  @SafeVarargs
  public final <T extends Number & Comparable<? super T>> Optional<T> find(
      final String name,
      Map<String, ? extends Collection<T[]>> choices,
      @Nullable T... rest)
      throws IOException, java.util.concurrent.TimeoutException {
    return Optional.empty();
  }

  int find(String name) { return name.length(); }

  int find(int index)[] { return sizes; }

  abstract void declared();

  native long clock();

  String named(Declarations<K, V> this, Function<K, V> f) {
    Runnable local = () -> {
      int inLambda = 1;
      System.out.println(inLambda);
    };
    class Local implements Runnable {
      private int field = 1;

      public void run() { find("x"); }
    }
    record Pair(int left, int right) {}
    Object anonymous = new Object() {
      private int counter;

      @Override
      public String toString() { return "anonymous"; }
    };
    for (var each : List.of(1, 2)) {
      if (anonymous instanceof String text && text.isEmpty()) {
        return (String) anonymous;
      }
    }
    return new Local().toString();
  }

  private final Comparator<String> byLength = new Comparator<>() {
    private final int factor = 2;

    @Override
    public int compare(String a, String b) {
      return factor * Integer.compare(a.length(), b.length());
    }
  };

  private final Runnable task = () -> {
    System.out.println("left out");
  };

  private final Runnable short_ = () -> { run(Declarations::new, this::named); };

  public class Inner {
    class Innermost {
      void deep() {}
    }
  }

  static class Nested<T> {}
}

class Second {}
