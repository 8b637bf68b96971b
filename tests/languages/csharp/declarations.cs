#nullable enable
extern alias Legacy;
global using System.Linq;
using System;
using static System.Math;
using Pairs = System.Collections.Generic.List<(int Key, string Value)>;

[assembly: CLSCompliant(true)]

namespace Shop.Orders;

/// <summary>
/// A doc comment is attached, attributes included.
/// </summary>
[Serializable, Obsolete("use Cart2")]
[DebuggerDisplay("{Total}")]
public sealed partial class Cart<TItem, TKey>(string owner, int capacity = 8)
    : CartBase(owner), ICart<TItem>, IDisposable
    where TItem : class, IPriced<TKey>, new()
    where TKey : struct
{
    // A comment that is no doc comment is not attached.
    private readonly int first = 1, second, third = Max(1, 2);

    public const string Currency = "EUR", Symbol = "€";

    /// <summary>Not attached: a blank line follows.</summary>

    private static readonly Dictionary<string, Func<int, int>> Rules = new()
    {
        ["double"] = x => x * 2,
        ["half"] = delegate (int x) { var y = x / 2; return y; },
    };

    #region Constructors

    static Cart()
    {
        Register(typeof(Cart<,>));
    }

    public Cart(TItem item, Action done)
        : this(item.Name, () => { var hidden = 1; done(); })
    {
        Add(item);
    }

    internal Cart() : this("nobody") => second = 2;

    ~Cart()
    {
        Dispose(false);
    }

    #endregion

    public int Count { get; private set; }

    public required string Größe { get; init; } = "groß";

    public decimal Total => Items.Sum(item => item.Price);

    public List<TItem> Items { get; } = new List<TItem>
    {
        new TItem(),
    };

    [JsonIgnore]
    public int Limit
    {
        get
        {
            return Checked(second);

            int Checked(int value) => value < 0 ? 0 : value;
        }

        [Obsolete]
        protected set => second = value;
    }

    string ICart<TItem>.Owner => owner;

    public TItem this[int index] => Items[index];

    public TItem this[TKey key, bool strict = false]
    {
        get { return Find(key); }
        set { Add(value); }
    }

    public event EventHandler? Opened, Closed;

    event EventHandler IDisposable.Disposed
    {
        add { Closed += value; }
        remove { Closed -= value; }
    }

    /// <summary>Overloads are symbols of their own.</summary>
    public void Add(TItem item) => Items.Add(item);

    /// <summary>The second one.</summary>
#pragma warning disable CA1062
    public void Add(
        TItem item,
        [CallerMemberName] string? caller = null,
        params object[] rest)
#pragma warning restore CA1062
    {
        var local = item?.Price;
        if (item is IPriced<TKey> { Price: > 0 } priced)
        {
            Log(priced);
        }

        static void Log<T>(T value)
            where T : notnull
        {
            Console.WriteLine(value);

            T Same(T same) => same;
        }
    }

    void IDisposable.Dispose()
    {
    }

    [DllImport("native")]
    private static extern unsafe int Native(byte* buffer, out int size);

    partial void OnAdded(TItem item);

    public static Cart<TItem, TKey> operator +(Cart<TItem, TKey> left, TItem right)
    {
        return left;
    }

    public static bool operator ==(Cart<TItem, TKey>? left, Cart<TItem, TKey>? right) => Equals(left, right);

    public static implicit operator int(Cart<TItem, TKey> cart) => cart.Count;

    public static explicit operator List<TItem>(Cart<TItem, TKey> cart) { return cart.Items; }

    protected internal abstract class Visitor
    {
        public abstract TResult Visit<TResult>(TItem item)
            where TResult : new();
    }
}
