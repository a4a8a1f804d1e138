// SPDX-License-Identifier: MIT

public import HTTPTypes
import Synchronization

/// A registered dummy: counts its calls, and can be removed.
///
/// Made by ``DummyRegistry/register(_:_:server:delay:respond:)``; it stays registered whether or not this value is kept.
public final class DummyResponder: Sendable, CustomStringConvertible {
    /// Tells the dummies of this process apart.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// A number that grows with every registration.
        public let rawValue: UInt64

        /// The number with a mark in front, as in `dummy-2`.
        public var description: String { "dummy-\(rawValue)" }
    }

    private static let counter = Atomic<UInt64>(0)

    /// Tells the dummy apart from all others.
    public let id: ID

    /// The HTTP method that the dummy answers.
    public let method: HTTPRequest.Method

    /// The path that the dummy answers, with placeholders.
    public let template: PathTemplate

    /// The server that the dummy stands in for; `nil` for any.
    public let server: ServerKey?

    /// How long the dummy waits before it answers.
    public let delay: Duration

    let pattern: DummyPathPattern
    let respond: @Sendable (DummyRequest) async throws -> DummyResponse

    private let calls = Atomic<Int>(0)
    private let remover: Mutex<(@Sendable () -> Void)?>

    init(
        method: HTTPRequest.Method,
        template: PathTemplate,
        server: ServerKey?,
        delay: Duration,
        respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) {
        self.id = ID(rawValue: Self.counter.wrappingAdd(1, ordering: .relaxed).newValue)
        self.method = method
        self.template = template
        self.server = server
        self.delay = delay
        self.pattern = DummyPathPattern(template)
        self.respond = respond
        self.remover = Mutex(nil)
    }

    /// How many requests the dummy was chosen for.
    public var callCount: Int {
        calls.load(ordering: .relaxed)
    }

    /// Removes the dummy.
    ///
    /// Calls under way are still answered. Calling it again does nothing.
    public func remove() {
        let remove = remover.withLock { remover in
            defer { remover = nil }
            return remover
        }
        remove?()
    }

    /// Method, server and path, as in `GET store /users/{user}`.
    public var description: String {
        [method.rawValue, server?.rawValue, template.source].compactMap(\.self).joined(separator: " ")
    }

    func countCall() {
        calls.wrappingAdd(1, ordering: .relaxed)
    }

    func onRemove(_ remove: @escaping @Sendable () -> Void) {
        remover.withLock { $0 = remove }
    }
}
