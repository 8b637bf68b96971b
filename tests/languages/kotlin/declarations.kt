@file:JvmName("Declarations")
@file:Suppress("unused")

/* A licence header belongs to nobody. */
package com.example.shop

import java.io.IOException
import kotlin.collections.*
import kotlin.math.max as larger

/** Attached to the constant below. */
const val LIMIT = 10

/** Kept apart by a blank line: attached to nothing. */

// An ordinary comment is no doc comment.
private val table: Map<String, List<Int>> = mapOf(
    "one" to listOf(1),
    "two" to listOf(1, 2),
)

val größe by lazy { 1 }

var counter: Int = 0
    private set

val total: Int
    get() = counter + LIMIT

var guarded: String = "Größe"
    get() {
        return field.trim()
    }
    set(value) {
        field = value.trim()
    }

val <T> List<T>.second: T
    get() = this[1]

val handler = object : Runnable, Comparable<Runnable> {
    private var calls = 0

    override fun run() {
        calls += 1
    }

    override fun compareTo(other: Runnable): Int = calls
}

val onClick = { x: Int ->
    val inLambda = x + 1
    println(inLambda)
}

/**
 * A signature of several lines, and a body that is an expression.
 */
@Throws(IOException::class)
// A comment between the two does not part them.
public inline fun <reified T : Comparable<T>, R> Iterable<T>.find(
    name: String = "none",
    vararg rest: T?,
    crossinline choose: (T, Int) -> R,
): R? where R : Any =
    firstOrNull { it is T }
        ?.let { choose(it, larger(1, 2)) }

fun find(name: String): Int = name.length

fun find(index: Int): Int {
    fun local(depth: Int): Int = depth + index
    class Local {
        val field = 1

        fun method() = field
    }
    val anonymous = fun(x: Int): Int { return x }
    return local(anonymous(Local().method())) as Int
}

suspend fun pause() {
    delay(1)
}

tailrec infix fun Int.plusAll(other: Int): Int = if (other == 0) this else (this + 1) plusAll other - 1

operator fun String.not() = isEmpty()

fun `a name with spaces`() {
    val kind = String::class
    listOf(1).map(::find)
}

@Deprecated("the grammar takes this annotation for an expression")
fun annotated() {}

typealias Handler<T> = suspend (event: T) -> Unit

expect fun platformName(): String
