package com.example
package bindings

import com.example.shop.Order

/** What has a plain type, and who is called on it. */
class Service[T: Ordering](private val store: Store, größe: => List[Order])
    extends Base.Inner[Order](store)
    with Listener {
  val entry: Map[String, Order] = Map.empty
  var order: com.example.shop.Order = _
  val clock = new Clock(1)
  val session = new shop.Session[Order](2)
  val other = Order(3)
  val made = Order.of[Money](4)
  val anonymous = new Listener { def last = Level.High }

  def find(id: Id): Option[Order]

  def create() = new Order(5)

  def open = store.open(6)

  def use(rest: Order*): Session = {
    super.use(made)
    this.find(other.id)
    größe.map((item: Order) => item.total)
    order match {
      case special: Special => special.ship()
      case Parcel(inner) => inner send Level.Low
    }
  }
}

trait Jobs {
  val queue: Queue[Job]
  var current: Job
}
