/* A licence header belongs to nobody. */
package com.example
package shop

import java.util.{List => JList, Map, *}
import scala.collection.mutable
import scala.util.Try, scala.concurrent._
import com.example.given Ordering[Int]
import com.example.Names as N

/** Attached to what stands directly below it. */
@SerialVersionUID(1L)
abstract class Account[+A <: AnyRef, B: Ordering] protected (
    val owner: String,
    private var balance: BigDecimal = BigDecimal(0),
    secret: String
)(using Ordering[A])
    extends Base[A](owner)
    with java.io.Serializable
    with Closeable { self: Audited =>

  import Account.*

  /** Kept apart by a blank line: attached to nothing. */

  // An ordinary comment is no doc comment.
  val limit = 10
  val first, second: Int = 1
  var größe: String = "Größe"
  val (low, Some(high), pair @ Pair(_, inner)) = bounds(limit)
  val declared: Int
  var state, other: Option[State]
  lazy val table: Map[String, Int] =
    val local = compute()
    Map("one" -> local)
  private[shop] implicit val ordering: Ordering[A] = new Ordering[A] {
    private val factor = 2

    def compare(x: A, y: A): Int = {
      factor * x.hashCode
    }
  }

  println("a statement")

  type Id
  type Element <: A
  type Closable = { def close(): Unit; type Token }

  def this(owner: String) = this(owner, BigDecimal(1), "")

  /**
   * A signature of several lines.
   */
  @throws[IOException]("never")
  // A comment between the two does not part them.
  final override def find[T >: A](
      name: String = "none",
      choices: => Seq[T]*
  )(implicit
      ec: ExecutionContext
  ): Future[Option[T]] =
    Future {
      choices.find(_ == name)
    }

  def find(index: Int): Int = {
    def local(depth: Int): Int = depth + index
    class Local(val field: Int) { def method = field }
    object Helper { val inObject = 1 }
    val handler = new Runnable { val calls = 0; def run(): Unit = () }
    local(new Local(1).method)
  }

  def procedure(x: Int) { println(x) }

  def size: Int

  def +(other: Account[A, B]): Account[A, B] = this
  def unary_! : Boolean = false
  def balance_=(value: BigDecimal): Unit = balance = value
  def `a name with spaces` = ???

  val handle: PartialFunction[Any, Int] = {
    case n: Int => n
    case _ =>
      val inCase = 1
      inCase
  }
}

/** The companion. */
object Account extends Factory {
  final val Max = 3
  private object Registry

  def apply[A](owner: String): Account[A, Int] = new Account[A, Int](owner) {
    def size = 1
  }

  implicit class RichAccount(private val account: Account[?, ?]) extends AnyVal {
    def shout: String = account.owner.toUpperCase + "!"
  }

  trait Visitor[-T] {
    def visit(value: T): Boolean
  }
}

case class Point(x: Int, y: Int = 0)(z: Int)

case object Origin

object Anonymous {
  // Behind a second list of arguments.
  val plan = new Plan(1)(codec) {
    val step = 1
    def run(): Int = step
  }

  def mixed = new Plan[Int](1)(codec) with Logged[Int] with Closeable {
    override val step = 2
  }

  def early = new { val seed = 1 } with Plan(seed)(codec) {
    def run(): Int = seed
  }

  val Whole @ Pair(left, _) = bounds(1)
  val (Low @ _, Some(High @ _)) = bounds(2)
}

package object syntax {
  type Name = String
}

package inner {
  class Deep
}
