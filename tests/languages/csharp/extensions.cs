namespace Shop;

// Newer than the grammar. Members of an extension block belong to the class around it.

public static class TextExtensions
{
    /// <summary>On a text.</summary>
    extension(string text)
    {
        /// <summary>Whether it holds nothing.</summary>
        public bool IsBlank => text.Length == 0;

        public string Repeat(
            int times,
            string separator = ", ")
        {
            return string.Join(separator, Enumerable.Repeat(text, times));
        }
    }

    extension<T>(IEnumerable<T> source) where T : allows ref struct
    {
        public int Größe { get { return source.Count(); } }

        public static IEnumerable<T> operator +(IEnumerable<T> left, IEnumerable<T> right) => left.Concat(right);
    }

    public static int Length(this string text) => text.Length;
}

public class Cart<T> where T : allows ref struct
{
    public void Close(Order? order)
    {
        order?.Lines[0].Closed = true;
        order?.Count -= 1;
    }
}
