// What Sightline makes of Swift: functions, types, extensions and macros.

import Foundation
import Network.Framing
import struct Geometry.Point
import func Darwin.C.sqrt
@testable import Store
public import Logging

/// A doc comment belongs to the declaration directly below,
/// over all its lines.
func documented() {}

/// A blank line below: this comment belongs to nothing.

func undocumented() {}

// A plain comment is no doc comment.
func plain() {}

/** A block is a doc comment too.
 */
@discardableResult
@available(iOS 13, *)
public func attributed(_ value: Int) -> Int { value }

func signature<Element: Hashable, Key>(
    over lines: [Element],  // a comment among the parameters
    by key: @escaping (Element) throws -> Key = { _ in fatalError() },
    `default`: Key? = nil
) async throws -> [Key: [Element]]
where
    Element: Sendable,
    Key: Hashable
{
    let local = lines.count

    /// A local function is a symbol, a local variable is none.
    func helper(_ index: Int) -> Int {
        func innermost() {}
        return index + local
    }

    struct Local {
        var field = 1
        func method() {}
    }

    typealias Pair = (Key, Element)
    var computed: Int { local }
    let closure = { (x: Int) -> Int in
        func inClosure() {}
        return x
    }
    return [:]
}

func overloaded(_ value: Int) {}
func overloaded(_ value: String) throws(ParseError) -> some Collection<Character> { value }

func `class`() {}
func größe(länge: Int) -> Int { länge }

prefix operator √
infix operator <+> : AdditionPrecedence
precedencegroup Tight {
    higherThan: AdditionPrecedence
}
prefix func √ (value: Double) -> Double { sqrt(value) }
func <+> <T>(lhs: T, rhs: T) -> T { lhs }

/// A class.
@MainActor
public final class Account<ID: Hashable>: Base, Codable, Store.Keeping where ID: Sendable {
    public let id: ID

    init(id: ID) {
        self.id = id
    }

    public convenience init?(parsing text: String) throws { return nil }

    required init!(coder: Coder) {
        super.init(coder: coder)
    }

    deinit {
        close()
    }

    class func make() -> Account { Account(id: 1) }
    static func == (lhs: Account, rhs: Account) -> Bool { lhs.id == rhs.id }
    override func close() { super.close() }

    final class Nested {
        enum Deep {
            case bottom
        }
    }
}

struct Empty {}

actor Counter {
    private var value = 0
    nonisolated func describe() -> String { "counter" }
    isolated deinit {}
}

@main
struct Tool { static func main() async throws { try await Tool.run() } }

extension Account: CustomStringConvertible where ID == Int {
    public var description: String { "account" }
}

extension Account.Nested.Deep { func sink() {} }
extension Array<Int> { func total() -> Int { reduce(0, +) } }
extension [String] { func joined() -> String { "" } }
extension Counter: @unchecked Sendable {}

#if os(macOS) && canImport(AppKit)
import AppKit

typealias View = NSView

/// Only on a Mac.
func platform() -> String { "mac" }
#elseif os(iOS)
func platform() -> String { "phone" }
#else
#error("unknown platform")
#endif

@freestanding(expression)
public macro stringify<T>(_ value: T) -> (T, String) =
    #externalMacro(module: "Macros", type: "Stringify")

#Preview {
    Text("a macro call declares nothing")
}

if CommandLine.arguments.count > 1 {
    let ignored = 1
    func conditional() {
        print(ignored)
    }
}

for name in ["x"] {
    print(name)
}
print(#stringify(1 + 2))
