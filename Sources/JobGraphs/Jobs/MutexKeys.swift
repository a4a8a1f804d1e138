// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Mutex keys, each held by at most one node at a time; a node that holds keys has a separate scope for the nodes
/// inside, which exclude one another.
final class MutexKeys: Sendable {
    private typealias RequestID = MutexKeysStateMachine.RequestID

    /// Requested keys: they are held or waited for until the request is released or its last reference is dropped.
    struct Request: Sendable {
        fileprivate let id: UInt64
        fileprivate let names: Set<String>
        let requestedAt: Duration
        let isGranted: Bool
        fileprivate let lease: ReleaseOnce

        func release() { lease.release() }
    }

    private struct Scope {
        let keys: MutexKeys
        let id: RequestID
        let names: Set<String>
    }

    private typealias Wakeup = Waiters<RequestID, Bool>.Wakeup

    private struct State {
        var machine = MutexKeysStateMachine()
        /// The tasks that wait: resumed with `true` once they hold their keys.
        var waiters = Waiters<RequestID, Bool>()

        mutating func settle(_ granted: [RequestID]) -> [Wakeup] {
            granted.compactMap { waiters.settle($0, with: true) }
        }
    }

    private static let scopes = TaskScope<Scope>(endsWithOperation: true)

    private let state = Mutex(State())

    var heldCount: Int { state.withLock { $0.machine.heldCount } }

    func request(_ names: Set<String>, at now: Duration) -> Request {
        let keys = names.map { name in
            let scope = Self.scopes.innermost { $0.keys === self && $0.names.contains(name) }
            return MutexKeysStateMachine.Key(name: name, scope: scope?.id ?? 0)
        }
        let (id, isGranted) = state.withLock { $0.machine.request(keys) }
        let lease = ReleaseOnce { [weak self] in
            self?.release(id)
        }
        return Request(id: id, names: names, requestedAt: now, isGranted: isGranted, lease: lease)
    }

    func withKeys<Value: Sendable>(
        _ request: Request,
        onWait: () -> Void = {},
        _ operation: () async throws -> Value
    ) async throws -> Value {
        defer { request.release() }
        try Task.checkCancellation()
        if !request.isGranted {
            onWait()
            guard await wait(for: request.id) else {
                throw CancellationError()
            }
        }
        let scope = Scope(keys: self, id: request.id, names: request.names)
        return try await Self.scopes.open(scope, operation: operation)
    }

    private func wait(for id: RequestID) async -> Bool {
        await Waiters.wait { continuation in
            state.withLock { $0.waiters.park(id, continuation) }
        } onCancel: {
            let (own, others) = state.withLock { state -> (Wakeup?, [Wakeup]) in
                guard let granted = state.machine.cancel(id) else {
                    return (nil, [])
                }
                return (state.waiters.settle(id, with: false), state.settle(granted))
            }
            for other in others {
                other.resume()
            }
            return own
        }
    }

    private func release(_ id: RequestID) {
        let wakeups = state.withLock { state in
            // The outcome of an abandoned wait.
            _ = state.waiters.claim(id)
            return state.settle(state.machine.release(id))
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
    }

    /// Waits until at least the given number of tasks wait for keys; for tests, which must not begin too early.
    func waitForWaiters(_ count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiters.watch(for: count, continuation) }
        }
    }
}
