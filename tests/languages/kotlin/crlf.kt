/** Lines end in CRLF. */
class Crlf(val first: Int) {
    /**
     * Attached.
     */
    @Deprecated("x")
    fun value(
        a: Int,
        b: Int,
    ): Int =
        a +
            b

    val text = """
        €
    """
}