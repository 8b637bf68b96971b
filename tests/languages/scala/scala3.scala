package com.example.shop

import scala.annotation.*

export Account.{apply, Visitor as V}

/** A trait with an indented body and an end marker. */
trait Shape derives CanEqual:
  def area: Double

  /** Documented. */
  def describe(prefix: String): String =
    val text = prefix + area
    text

  val corners: Int = 4
end Shape

enum Color(val rgb: Int):
  /** Documented. */
  case Red extends Color(0xff0000)
  case Green, Blue
  @deprecated case Mix[T](left: T, right: Int) extends Color(1)

  def hex: String = rgb.toHexString

object Color:
  val default = Red

opaque type Meters = Double

type Elem[X] = X match
  case String => Char
  case Array[t] => t

given intOrd: Ord[Int] with
  def compare(x: Int, y: Int): Int =
    if x < y then -1 else 1

given Ord[String] = Ord.fromOrdering

given listOrd[T](using ord: Ord[T]): Ord[List[T]] with
  def compare(x: List[T], y: List[T]): Int = 0

given [T] => Show[T]:
  def show(t: T): String = t.toString

extension (s: String)
  def shout: String = s.toUpperCase
  // A comment between the two.
  infix def repeated(n: Int): String =
    s * n

extension [T](xs: List[T])(using Ord[T]) def largest: T = xs.max

inline def twice(inline x: Int): Int = x + x

val greeting = "hello"

val compute: (Int, Int) => Int = (a, b) =>
  def local = a + b
  local * 2

@main def run(args: String*): Unit =
  val sizes = args.map: arg =>
    val trimmed = arg.trim
    trimmed.length
  Color.values.foreach(c => println(c))
  summon[Ord[Int]].compare(1, 2)

class Checked(x: Int):
  require(x > 0)

final class Last extends Shape:
  def area = 1.0

given emptyOrd: DefaultOrd[Unit]()

given Ord[Shape], Show[Shape]:
  def show(shape: Shape): String = shape.describe("")

val (name = first, age = years) = person

val watcher = new Watcher(1)(using codec):
  val seen = 0
  def notice(): Unit = ()
