import Store

@propertyWrapper
final class Cache<Key: Hashable, Value>: Store.Base<Key>, Store.Evicting & Sendable {
    @Locked private var values: [Key: Store.Entry<Value>] = [:]
    var wrappedValue: Value?
    var kinds: (Key.Type, any Evicting, some Equatable)

    func load(_ key: Key, as type: Value.Type, or make: (inout Key) async throws -> Value) async -> Value! {
        let entry = Entry<Value>(key: key)
        let nested = Store.Entry(key: key)
        values[key]?.touch()
        self.refresh { cache in cache.evict(.oldest(count: 1)) }
        guard let found = nested.value as? Value, found is Identifiable else {
            super.load(key)
            return nil
        }
        do {
            let data = try await Store.shared.fetch(key)
            try data?.decode(Value.self)
        } catch let error as Store.Failure {
            fatalError(#file)
        } catch {}
        switch found {
        case let user as User: print(user)
        default: break
        }
        let copy: Dictionary<Key, [Value?]> = .init(minimumCapacity: 1)
        return copy[key]
    }
}

func pack<each Part: Sized, Unit>(_ part: repeat each Part) -> Vector<Unit, Int> where Unit == Store.Meter {}

// `()` is the empty tuple.
func finish(_ completion: (Result<Void, Never>) -> Void = { _ in () }) { completion(.success(())) }
