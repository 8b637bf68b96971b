/** Lines end in CRLF. */
class Crlf(val first: Int) {
  /**
   * Attached.
   */
  @deprecated("x")
  def value(
      a: Int,
      b: Int
  ): Int = {
    a + b
  }

  val text = """
    €
  """
}