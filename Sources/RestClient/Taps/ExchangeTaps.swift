// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The taps of one manager, and those of the task-local scopes in which its calls run.
package final class ExchangeTaps: Sendable {
    private struct Scope: Sendable {
        let tap: any ExchangeTap
        /// The manager whose exchanges are tapped; those of every manager if `nil`.
        let owner: ExchangeTaps?
        /// True for a tap that responds itself.
        let isIsolated: Bool
    }

    private static let scopes = TaskScope<Scope>()

    /// The object by which scopes know the manager: its dummies.
    private let manager: any AnyObject & Sendable
    private let attached = Mutex<[any ExchangeTap]>([])
    /// True once a tap was attached: until then, exchanges need not look for taps.
    private let wasUsed = Atomic<Bool>(false)

    init(of manager: any AnyObject & Sendable) {
        self.manager = manager
    }

    /// Attaches a tap for all calls of the manager, once.
    package func attach(_ tap: any ExchangeTap) {
        wasUsed.store(true, ordering: .releasing)
        attached.withLock { taps in
            if !taps.contains(where: { $0 === tap }) {
                taps.append(tap)
            }
        }
    }

    /// Detaches a tap; exchanges in progress still end in it.
    package func detach(_ tap: any ExchangeTap) {
        attached.withLock { taps in taps.removeAll { $0 === tap } }
    }

    /// Runs an operation with a tap that only the current task and its child tasks have.
    ///
    /// A tap that responds itself is isolated: other calls learn nothing from its responses, nor the other way round.
    package static func withTap<Result>(
        _ tap: any ExchangeTap,
        of owner: ExchangeTaps?,
        isIsolated: Bool = false,
        isolation: isolated (any Actor)?,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        let scope = Scope(tap: tap, owner: owner, isIsolated: isIsolated)
        guard isIsolated else {
            return try await scopes.open(scope, isolation: isolation, operation: operation)
        }
        let leave: CallIsolation.Leave = { start in ExchangeTaps.leaveResponding(start) }
        return try await CallIsolation.open(
            "fixture",
            isOfDummies: false,
            owner: owner?.manager,
            leave: leave,
            isolation: isolation
        ) {
            try await scopes.open(scope, isolation: isolation, operation: operation)
        }
    }

    /// Runs code outside of the scopes of taps that respond themselves, and inside of the others.
    private static func leaveResponding<Result>(_ operation: () -> Result) -> Result {
        func run(_ scopes: ArraySlice<Scope>) -> Result {
            guard let outermost = scopes.last else {
                return operation()
            }
            return Self.scopes.open(outermost) { run(scopes.dropLast()) }
        }
        let others = scopes.contents.filter { !$0.isIsolated }
        return scopes.leave { run(others[...]) }
    }

    /// The taps for a request, innermost first; `nil` if there are none.
    var current: [any ExchangeTap]? {
        var taps = Self.scopes.contents.filter { $0.owner == nil || $0.owner === self }.map(\.tap)
        if wasUsed.load(ordering: .acquiring) {
            taps += attached.withLock { $0 }
        }
        return taps.isEmpty ? nil : taps
    }

    static func send(
        _ request: TransportRequest,
        through taps: ArraySlice<any ExchangeTap>,
        _ send: @escaping @Sendable (TransportRequest) async throws -> RawResponse
    ) async throws -> RawResponse {
        guard let tap = taps.first else {
            return try await send(request)
        }
        let rest = taps.dropFirst()
        return try await tap.exchange(request) { try await Self.send($0, through: rest, send) }
    }
}

/// A layer between the pipeline and the transport: it observes each exchange, and may respond instead of the transport.
package protocol ExchangeTap: AnyObject, Sendable {
    /// Handles one exchange; `send` sends a request to the next tap, or to the transport.
    func exchange(
        _ request: TransportRequest,
        _ send: @Sendable (TransportRequest) async throws -> RawResponse
    ) async throws -> RawResponse
}
