package com.example.shop;

import com.example.shop.Declarations.Nested;

/** A sealed interface with constants and every sort of method. */
public sealed interface Shape<T> extends Comparable<Shape<T>>, java.io.Serializable
    permits Shape.Circle, Shape.Square {
  int SIDES = 4, CORNERS = SIDES;

  double area();

  default String describe() {
    return helper() + area();
  }

  private String helper() { return ""; }

  static <T> Shape<T> unit() { return new Circle<>(1); }

  record Circle<T>(double radius) implements Shape<T> {
    static int created;

    /** A compact constructor. */
    public Circle {
      if (radius < 0) throw new IllegalArgumentException();
    }

    Circle(String text) { this(Double.parseDouble(text)); }

    @Override public double area() { return Math.PI * radius * radius; }
  }

  record Square<T>(
      @Deprecated double side,
      T... tags) implements Shape<T> {
    public double area() { return side * side; }
  }

  non-sealed abstract class Odd {}
}

record Empty() {}

/**
 * An enum with constants that have bodies.
 */
enum Level implements java.util.function.IntSupplier {
  /** The lowest. */
  LOW,
  @Deprecated
  MIDDLE(5, "middle"),
  HIGH(
      9,
      "high") {
    private int extra;

    @Override
    public int getAsInt() {
      return 9 + extra;
    }
  },
  ;

  static final Level DEFAULT = LOW;
  private final int value;

  {
    System.out.println("an instance initialiser");
  }

  Level() { this(0, ""); }

  Level(int value, String name) { this.value = value; }

  public int getAsInt() { return value; }
}

enum Plain { ONE, TWO }

@Retention(RetentionPolicy.RUNTIME)
@interface Marker {
  String value() default "none";

  int[] numbers() default {
    1,
    2,
  };

  Class<?>[] types();

  int MAX = 3;

  enum Mode { FAST, SLOW }
}

abstract class Outer<T> {
  abstract T get() throws Exception;

  interface Visitor { void visit(Outer<? extends Nested<String>[]> outer); }

  static Object of(Object o) {
    return switch (o) {
      case Circle(var r) when r > 1 -> r;
      case Integer i -> i;
      default -> o.toString();
    };
  }
}
