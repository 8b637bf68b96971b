using Alias = Outer.Inner;

// Several namespaces in one file, and one inside another.
namespace Outer
{
    using Inner;

    namespace Inner
    {
        public struct Point
        {
            public double X, Y;

            public readonly double Length() => Math.Sqrt(X * X + Y * Y);
        }
    }

    public readonly ref struct Slice<T>(ref T first)
    {
        public ref T First => ref first;
    }

    /// <summary>A positional record: its parameters are no symbols.</summary>
    public record Person(string Name, int Age);

    public record Employee(string Name, int Age, [property: Key] int Id)
        : Person(Name, Age), IComparable<Employee>
    {
        public int CompareTo(Employee? other) => Id.CompareTo(other!.Id);
    }

    public readonly record struct Money(decimal Amount, string Currency)
    {
        public static readonly Money Zero = new(0, "");
    }

    public interface IRepository<in TKey, out TItem> : IEnumerable<TItem>
        where TKey : notnull
    {
        int Count { get; }

        TItem this[TKey key] { get; }

        event Action<TKey> Changed;

        TItem? Find(TKey key);

        bool Has(TKey key)
        {
            return Find(key) != null;
        }

        static abstract IRepository<TKey, TItem> Create();
    }

    [Flags]
    public enum Access : byte
    {
        None,

        /// <summary>Reading.</summary>
        Read = 1 << 0, // a comment at the end of the line
        [Obsolete("…")]
        Write = 1 << 1,
        All = Read |
            Write,
    }

    enum Empty { }

    /// <summary>A delegate is a type.</summary>
    public delegate Task<TResult> Handler<in TEvent, TResult>(object sender, TEvent e)
        where TEvent : EventArgs;

    public static class Extensions
    {
        public static bool IsBlank(this string? text) => string.IsNullOrWhiteSpace(text);

        public static async IAsyncEnumerable<T> Each<T>(
            this IEnumerable<T> source,
            [EnumeratorCancellation] CancellationToken token = default)
        {
            foreach (T item in source)
            {
                yield return await Task.FromResult(item);
            }
        }
    }

    file class Hidden;
}

namespace Other.Deeply.Nested
{
    class Outermost
    {
        class Middle
        {
            interface IInnermost { void Run(); }

            enum Level { Low, High }
        }
    }
}
