// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// The guards of a manager's servers: rates, breakers, numbers of calls and budgets, at ``RestClientManager/guards``.
///
/// ```swift
/// for guarded in manager.guards.snapshots { print(guarded) }
/// manager.guards.isolate(.store)       // maintenance: calls fail at once
/// manager.guards.release(.store)
/// ```
///
/// Within a scope of dummies or of a recording, these are the guards of the scope.
public final class ServerGuards: Sendable {
    /// The state of a server's guards at a moment.
    public struct Snapshot: Sendable, Hashable, CustomStringConvertible {
        /// The alias of the server, or the origin of a URL that belongs to none.
        public let server: String
        /// The alias of the API, if that has guards.
        public let api: String?
        /// The rate limit that calls of the API set themselves, in words, if this is the state of those that set it.
        public let rateLimit: String?
        /// The state of the breaker.
        public let circuit: CircuitState
        /// The number of calls in the window of the breaker.
        public let calls: Int
        /// The number of those that failed.
        public let failures: Int
        /// The number of those that were slow.
        public let slowCalls: Int
        /// The number of calls under way, as far as their rate or their number is limited.
        public let running: Int
        /// The number of calls that wait for their turn.
        public let waiting: Int
        /// The number of calls that may be under way; `nil` for any number.
        public let concurrency: Int?
        /// The number of calls that the rate allows to begin at once; `nil` for any number.
        public let available: Int?

        /// The state in one line.
        public var description: String {
            let name = Redaction.url(api.map { "\(server)/\($0)" } ?? server) + (rateLimit.map { " (\($0))" } ?? "")
            let limit = concurrency.map { " of \($0)" } ?? ""
            return "\(name): \(circuit.rawValue), \(failures) of \(calls) calls failed, \(running)\(limit) running, "
                + "\(waiting) waiting"
        }
    }

    private struct Table {
        var guards: [GuardKey: ServerGuard] = [:]
        var limit = ServerGuards.capacity
    }

    /// The number of guards beyond which idle ones are forgotten; the others are kept, as many as they are.
    private static let capacity = 1_024

    private let guards = Mutex(Table())
    let ledger: RateLedger
    private let clock: ClientClock
    private let hub: EventHub
    private let now: @Sendable () -> Date

    init(clock: ClientClock, hub: EventHub, now: @escaping @Sendable () -> Date) {
        self.clock = clock
        self.hub = hub
        self.now = now
        ledger = RateLedger(now: now)
    }

    /// Returns the guards of a scope, which knows nothing of those outside, and no other process; itself outside of
    /// scopes.
    func inside(_ isolation: CallIsolation?) -> ServerGuards {
        isolation?.state(of: self) { ServerGuards(clock: clock, hub: hub, now: now) } ?? self
    }

    /// The state of all guards, by name.
    public var snapshots: [Snapshot] {
        guards.withLock { Array($0.guards.values) }.map(\.snapshot)
            .sorted { ($0.server, $0.api ?? "", $0.rateLimit ?? "") < ($1.server, $1.api ?? "", $1.rateLimit ?? "") }
    }

    /// The state of a server's guards; `nil` as long as no call has met them.
    public subscript(server: ServerAlias) -> Snapshot? {
        guards.withLock { $0.guards[GuardKey(server: server.rawValue)] }?.snapshot
    }

    /// Refuses all calls to a server that have a ``CircuitBreaker``, until ``release(_:)``.
    ///
    /// - Parameter server: The server.
    public func isolate(_ server: ServerAlias) {
        set(server, isIsolated: true)
    }

    /// Lets calls to a server pass again, and forgets what its breaker and its rate limits have counted.
    ///
    /// The pauses and quotas that the server asked for are forgotten too, and so are the turns in the file of the
    /// limits that processes share (``RateLimit/sharedAcrossProcesses()``). If that fails, the event
    /// ``ClientEvent/Kind-swift.enum/rateLimitNotShared(server:_:)`` says why.
    ///
    /// - Parameter server: The server.
    public func release(_ server: ServerAlias) {
        set(server, isIsolated: false)
        do throws(StoreError) {
            try ledger.removeTurns(at: server.rawValue)
        } catch {
            let name = GuardKey(server: server.rawValue).description
            hub.emit(ClientEvent(.rateLimitNotShared(server: name, error)))
        }
    }

    private func set(_ server: ServerAlias, isIsolated: Bool) {
        let key = GuardKey(server: server.rawValue)
        let keys = guards.withLock { $0.guards.keys.filter { $0.server == key.server } }
        for key in Set(keys).union([key]) {
            if let changed = self[key].setIsolated(isIsolated) {
                hub.emit(ClientEvent(.circuitChanged(server: key.description, changed)))
            }
        }
    }

    subscript(key: GuardKey) -> ServerGuard {
        guards.withLock { table in
            if let known = table.guards[key] {
                return known
            }
            if table.guards.count >= table.limit {
                table.guards = table.guards.filter { !$0.value.forgetIfIdle() }
                // Where most are needed, not each new one looks at all of them.
                table.limit = max(Self.capacity, 2 * table.guards.count)
            }
            let new = ServerGuard(key, clock: clock)
            table.guards[key] = new
            return new
        }
    }
}

// MARK: - Budgets

extension ServerGuards {
    func count(_ call: CallContext) {
        if let budget = Self.budget(of: call) {
            budget.place.shared(in: inside(call.policy.isolation)).countCall(budget.value)
        }
    }

    /// Returns what takes one retry of a call from the budget; `nil` if its retries have no budget.
    func retries(of call: CallContext) -> (@Sendable () -> Bool)? {
        guard let budget = Self.budget(of: call) else {
            return nil
        }
        // By the time of a retry, another guard may stand there.
        let guards = inside(call.policy.isolation)
        return { budget.place.shared(in: guards).takeRetry(budget.value) }
    }

    private static func budget(of call: CallContext) -> (value: RetryBudget, place: GuardPlace)? {
        call.policy.needs.contains(.retryBudget) ? call.policy.part(GuardTerms.self)?.budget : nil
    }
}
