/// Properties, subscripts, enum cases and requirements.

let limit = 10
public let table: [String: Int] = [
    "one": 1,
    "two": 2,
]
let banner = """
    Grüße
    from a string of several lines
    """
var (left, right) = (1, 2)
private var shared: Int = 0 {
    didSet { print(shared) }
}
var doubled: Int { limit * 2 }
let handler = { (value: Int) in
    print(value)
}

struct Settings: View, ~Copyable {
    static let standard = Settings()
    static var count = 0
    let name: String
    var x = 0, y: Int = 1, z: [Int] = [
        1,
    ]
    weak var delegate: (any Delegate)?
    @Published private(set) var title: String? = nil
    @Clamped(min: 0, max: 10)
    var level: Int = 5
    lazy var formatter: Formatter = {
        let formatter = Formatter()
        return formatter
    }()
    lazy var short: Int = { 1 }()
    let `default`, other: Int

    /// A computed property.
    @ViewBuilder
    var body: some View {
        Text(name).font(.title)
        ForEach(items) { item in Row(item) }
    }

    var area: Double {
        get {
            func local() {}
            return width * height
        }
        set(newArea) { width = newArea / height }
    }

    var raw: Int {
        @inlinable get { 1 }
        nonmutating set {}
    }
    var remote: Data { get async throws { try await load() } }
    static var current: Settings { get throws { Settings() } }

    var width: Double = 1 {
        willSet { print("from \(width) to \(newValue)") }
        didSet {
            func observed() {}
            observed()
        }
    }
    var height = Measure(
        of: 1
    ) {
        willSet { log(newValue) }
    }

    subscript(index: Int) -> Int { index }

    subscript<T>(safe key: Key<T>, default value: @autoclosure () -> T) -> T where T: Hashable {
        get { value() }
        set {
            store(newValue)
        }
    }

    static subscript(dynamicMember path: KeyPath<Settings, Int>) -> Int { 0 }
}

/// Cases are constants.
indirect enum Expression: String, CaseIterable {
    case zero, one = "1"

    /// With associated values.
    case sum(Expression, Expression)
    case range(from: Int = 0, to: Store.Bound<Int>), `default`

    @available(*, deprecated)
    case old

    #if DEBUG
    case debug
    #endif

    init(_ value: Int) { self = .zero }
    var isZero: Bool { self == .zero }
    static func + (lhs: Self, rhs: Self) -> Self { .sum(lhs, rhs) }
}

public protocol Repository<Item>: AnyObject, Sendable where Item: Codable {
    associatedtype Item: Identifiable = Never
    associatedtype Failure where Failure: Error
    typealias Handler = (Result<[Item], any Error>) -> Void

    /// How many.
    var count: Int { get }
    static var shared: Self { get async throws }
    var name: String? { get set }

    init(url: URL)
    init?(name: String)

    @discardableResult
    mutating func insert(_ item: Item, at index: Int) throws -> Bool
    func all(
        matching predicate: (Item) -> Bool
    ) async -> [Item]
    subscript(position: Int) -> Item { get set }
    static func < (lhs: Self, rhs: Self) -> Bool
}

extension Repository {
    public func first() -> Item? { self[0] }
}

struct Short { init() {} ; func reset() {} ; var größe: Int { 1 } }
