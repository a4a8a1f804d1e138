// SPDX-License-Identifier: MIT

import Synchronization

/// The taps of one manager, and those of the task-local scopes that its calls run in.
package final class ExchangeTaps: Sendable {
    private struct Scope: Sendable {
        let tap: any ExchangeTap
        /// The manager whose exchanges are tapped; those of every manager if `nil`.
        let owner: ExchangeTaps?
        /// Separates what calls of the scope store in a cache from everything else; `nil` if it is not separated.
        let cachePartition: String?
    }

    /// The scopes of the task, innermost last.
    @TaskLocal private static var scopes: [Scope] = []

    /// True once there was a tap.
    ///
    /// Until then, exchanges need not look for one.
    private static let wereUsed = Atomic<Bool>(false)

    private let attached = Mutex<[any ExchangeTap]>([])

    /// Attaches a tap for all calls of the manager.
    ///
    /// Attaching it again has no effect.
    package func attach(_ tap: any ExchangeTap) {
        Self.wereUsed.store(true, ordering: .releasing)
        attached.withLock { taps in
            if !taps.contains(where: { $0 === tap }) {
                taps.append(tap)
            }
        }
    }

    /// Detaches a tap.
    ///
    /// Exchanges that are under way still end in it.
    package func detach(_ tap: any ExchangeTap) {
        attached.withLock { taps in
            taps.removeAll { $0 === tap }
        }
    }

    /// Runs an operation with a tap that only the current task and its child tasks have.
    ///
    /// A tap that responds itself is isolated: its responses must not be stored for other calls, nor theirs be found.
    ///
    /// - Parameters:
    ///   - tap: The tap.
    ///   - owner: The manager whose exchanges are tapped; those of every manager if `nil`.
    ///   - isIsolated: True if the tap's responses get a cache partition of their own.
    ///   - isolation: The actor to run on.
    ///   - operation: The operation.
    /// - Returns: The operation's result.
    package static func withTap<Result>(
        _ tap: any ExchangeTap,
        of owner: ExchangeTaps?,
        isIsolated: Bool = false,
        isolation: isolated (any Actor)?,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        wereUsed.store(true, ordering: .releasing)
        return try await $scopes.withValue(
            scopes + [Scope(tap: tap, owner: owner, cachePartition: isIsolated ? partition() : nil)],
            operation: operation,
            isolation: isolation
        )
    }

    private static func partition() -> String {
        "fixture:" + String(UInt64.random(in: 0 ... .max), radix: 36)
    }

    /// The cache partition of the innermost scope that has one; `nil` outside of such scopes.
    var cachePartition: String? {
        guard Self.wereUsed.load(ordering: .acquiring) else {
            return nil
        }
        return Self.scopes.last { $0.cachePartition != nil && ($0.owner == nil || $0.owner === self) }?.cachePartition
    }

    /// The taps that an exchange passes on its way out, innermost first; `nil` if there is none.
    var current: [any ExchangeTap]? {
        guard Self.wereUsed.load(ordering: .acquiring) else {
            return nil
        }
        let scoped = Self.scopes.reversed().filter { $0.owner == nil || $0.owner === self }.map(\.tap)
        let taps = scoped + attached.withLock { $0 }
        return taps.isEmpty ? nil : taps
    }

    /// Sends a request through taps.
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
