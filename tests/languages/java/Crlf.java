/** Lines end in CRLF. */
public class Crlf {
  /**
   * Attached.
   */
  @Deprecated
  int value(
      int a,
      int b) {
    return a + b;
  }

  String text = """
    €
    """;
}