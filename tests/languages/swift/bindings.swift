import Foundation

/// What has a plain type, and who is called on it.
@MainActor
final class Service<T: Comparable>: Base<Order>, Shop.Listener {
    let store: Store
    weak var delegate: Delegate?
    var clock = Clock(1), other = Order.make(2)
    let box = Box<Order>(3)
    let orders: [Order] = []
    let mode = Mode.fast

    init(store: Store, größe: Money? = nil) {
        self.store = store
        super.init(store, Level.high)
    }

    func find(_ id: Id, in places: inout Places, by rule: some Rule) async throws -> Order? {
        let one = try await store.find(id)
        let two = try Order.load(id)
        let three = one as? Special
        let four: any Shape = three!.shape()
        let five = orders[0]
        self.run(places.first())
        orders.map { (item: Order) -> Money in item.total() }
        return Session.Local(four).begin()
    }

    var total: Money { Money.sum(orders) }
}

protocol Jobs {
    var queue: Queue<Job> { get }
    func next(after job: Job) -> Job
}
