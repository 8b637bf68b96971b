package com.example.bindings

import com.example.Order

/** What has a plain type, and who is called on it. */
class Service(private val store: Store, count: Int?, val größe: List<Order> = listOf()) :
    Base.Inner<Order>(store), Listener by store, Closeable {
    val entry: Map.Entry<String, Order>? = null
    val clock = Clock(1)
    val lazily by lazy { Clock(2) }
    private lateinit var order: com.example.shop.Order

    fun find(id: Id, vararg rest: Order): Order? = store.find(id)

    fun create() = Order(3)

    fun Order.use(action: (Order) -> Unit): Session {
        val one = Order.of<Money>(1)
        val two = one?.copy()
        val three = Box<Order>(one)
        val four = two as Special
        val five = Level.HIGH
        super.use(one)
        this.find(five)
        for (each: Order in größe) {
            each.send()
        }
        try {
            store.open()
        } catch (failure: Failure) {
            failure.report()
        }
        val listener = object : Shop.Listener {
            override fun last(): Order = four.last()
        }
        größe.map { item: Order -> item.total() }
        größe.filter(Order::isReady)
        return when (level) {
            Level.LOW -> Session.Local(Order::class, Mode.FAST)
            else -> begin()
        }
    }

    val Order.total: Money
        get() = Money.of(this)
}
