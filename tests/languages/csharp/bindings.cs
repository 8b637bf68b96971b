using System.Collections.Generic;
using Money = Shop.Prices.Amount;

namespace Shop.Bindings;

/// <summary>What has a plain type, and who is called on it.</summary>
[Traced(Level.High)]
class Service(Store store, ILogger<Service>? logger) : Base<Order>(store), Shop.IService
{
    private static readonly Clock clock = new(), other;
    private int count;
    private Order[] orders = new Order[3];

    public Dictionary<string, Order> Größe { get; } = new();
    public event Changed? Happened;

    public Order? Find(int id, params Order[] rest)
    {
        Order one = store.Find(id);
        var two = new Order.Builder<Order>();
        var three = Order.Create(3);
        var four = await store.FindAsync<Order>(4);
        var five = (Order)two;
        var six = two as Order;
        var seven = Local();
        var eight = 8;
        this.Run(Mode.Fast);
        base.Run(six?.Total());
        foreach (Order each in orders)
        {
            each.Send();
        }
        using (Session session = store.Open())
        {
            session.Commit();
        }
        try
        {
            store.TryGet(id, out Order found);
        }
        catch (Failure failure) when (failure.Code == Codes.Late)
        {
            failure.Report();
        }
        if (one is Special special)
        {
            special.Ship();
        }
        return one;

        Order Local() => new global::Shop.Order();
    }

    protected override void Run(Money amount) => Shop.Jobs.Runner.Start((Job job) => job.Start());
}
