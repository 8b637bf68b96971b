package annotations

import kotlin.annotation.AnnotationRetention.RUNTIME

// Classes behind annotations, which could be infix expressions.

/** Attached. */
@Target(AnnotationTarget.FUNCTION)
@Retention(AnnotationRetention.SOURCE)
annotation class Qualifier

@Retention(RUNTIME) @Target(FUNCTION) public annotation class Short

@Serializable
enum class Single { ONE }

class Outer {
    @Anything
    inner class Inner { val outer = this@Outer }

    class Options
    private constructor(
        val names: List<String>,
    ) {
        private constructor() : this(emptyList())
    }
}
