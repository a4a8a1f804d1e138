// SPDX-License-Identifier: MIT

public import HTTPTypes
import Synchronization

/// A registered dummy: counts its calls, and can be removed.
///
/// Made by ``DummyRegistry/register(_:)-(Dummy)``; it stays registered whether or not this value is kept.
public final class DummyResponder: Sendable, CustomStringConvertible {
    /// The identifier of a dummy.
    public typealias ID = DummyID

    private static let counter = Atomic<UInt64>(0)

    /// Tells the dummy apart from all others.
    public let id: ID

    /// What was registered.
    public let dummy: Dummy

    /// The path that the dummy answers; `nil` when that follows from its API operation.
    let pattern: PathPattern?

    private weak let registry: DummyRegistry?
    private let calls = Atomic<Int>(0)

    init(_ dummy: Dummy, registry: DummyRegistry) {
        self.id = ID(rawValue: Self.counter.wrappingAdd(1, ordering: .relaxed).newValue)
        self.dummy = dummy
        self.registry = registry
        switch dummy.target {
        case .endpoint(_, let template, _): pattern = PathPattern(template)
        case .api: pattern = nil
        }
    }

    /// How many requests the dummy was chosen for, since it was registered or its registry last reset.
    public var callCount: Int {
        calls.load(ordering: .relaxed)
    }

    /// Removes the dummy.
    ///
    /// Calls under way are still answered. Calling it again does nothing.
    public func remove() {
        registry?.remove(id)
    }

    /// Method, server and path, as in `GET store /users/{user}`, or the operation, as in `API orders`.
    public var description: String { dummy.description }

    /// Mirrors what the registry counts; called under the registry's lock, so that the last number stays.
    func setCallCount(_ count: Int) {
        calls.store(count, ordering: .relaxed)
    }
}

// MARK: - What was registered

extension DummyResponder {
    /// The HTTP method that the dummy answers; `nil` for any, and when it follows from an API operation.
    public var method: HTTPRequest.Method? {
        if case .endpoint(let method, _, _) = dummy.target { method } else { nil }
    }

    /// The path that the dummy answers, with placeholders; `nil` when it follows from an API operation.
    public var template: PathTemplate? {
        if case .endpoint(_, let template, _) = dummy.target { template } else { nil }
    }

    /// The server that the dummy stands in for; `nil` for any, and when it follows from an API operation.
    public var server: ServerAlias? {
        if case .endpoint(_, _, let server) = dummy.target { server } else { nil }
    }

    /// The alias of the API operation that the dummy stands in for, if it was registered for one.
    public var api: String? {
        if case .api(let name) = dummy.target { name } else { nil }
    }

    /// How long the dummy waits before it answers.
    public var delay: DummyDelay { dummy.delay }
}
