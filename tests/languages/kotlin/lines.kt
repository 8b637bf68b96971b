package lines

// Members on one line, which the grammar would have end in line breaks.

fun interface Predicate<T> { fun test(value: T): Boolean }

enum class Plain { ONE, TWO; fun next() = TWO }

class Pair { val first = 1; var second = 2; fun sum() = first + second }

class Builder { private var size = 0; fun size(value: Int) = apply { size = value } ; fun build() { println("}") } }

sealed interface Shape { data class Circle(val radius: Double) : Shape; data object Empty : Shape { val area get() = 0 } }

val runner = object : Runnable { override fun run() { start() } }

annotation class Marker(val names: Array<String> = [], val größe: Int = 0)

/** Context parameters belong to what they stand above. */
context(logger: Logger)
fun greet(name: String) { logger.log("hi $name") }

fun describe(shape: Shape) = when (shape) {
    is Shape.Circle if shape.radius > 10 -> "big"
    else if shape.hashCode() > 3 -> "odd"
    else -> "other"
}
