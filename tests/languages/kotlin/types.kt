package com.example.shop

import kotlin.properties.Delegates

/**
 * A primary constructor belongs to the header of its class; what it declares with `val` or `var` is a property.
 */
@Serializable
open class Person<out T : Any> @Inject internal constructor(
    /** Documented. */
    @SerialName("n") val name: String,
    private var age: Int = 0,
    ignored: List<T>,
) : Base<T>(ignored), Comparable<Person<*>>, java.io.Serializable, Map.Entry<T, T> where T : CharSequence {
    init {
        val local = 1
        println(local)
    }

    lateinit var address: Address
    protected open val tags: List<String> = emptyList()
    var observed: Int by Delegates.observable(0) { _, old, new ->
        println(old + new)
    }

    /** A secondary constructor. */
    constructor(name: String) : this(name, 1, emptyList()) {
        println(name)
    }

    @Deprecated("no body")
    constructor(age: Int) : this("", age, emptyList())

    override fun compareTo(other: Person<*>): Int {
        return age.compareTo(other.age)
    }

    abstract fun declared(): Nothing?

    companion object {
        const val MAX = 3

        @JvmStatic
        fun create() = Person("x")
    }

    inner class Inner {
        fun outer() = this@Person
    }

    object Registry : Base<Int>(), Closeable {
        val all = mutableListOf<Person<*>>()

        override fun close() = all.clear()
    }
}

class Named {
    companion object Factory : Creator {
        override fun create() = Named()
    }
}

data class Point(val x: Int, val y: Int)

@JvmInline
value class Id(val value: String)

annotation class Marker(val why: String)

sealed interface Shape {
    val area: Double

    data object Empty : Shape {
        override val area get() = 0.0
    }
}

fun interface Visitor<in T> {
    fun visit(value: T): Boolean
}

class Delegating(
    private val inner: Shape,
) : Shape by inner {
    override val area = 1.0

    fun extra() {
        println(area)
    }
}

enum class Plain { ONE, TWO }

/** An enum with entries that have bodies. */
enum class Level(val weight: Int) : IntSupplier {
    /** The lowest. */
    LOW(1),

    @Deprecated("x")
    HIGH(
        2,
    ) {
        override fun getAsInt() = 2 * weight
    };

    abstract override fun getAsInt(): Int

    companion object {
        fun of(name: String): Level = valueOf(name)
    }
}

interface Empty
