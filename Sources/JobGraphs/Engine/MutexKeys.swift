// SPDX-License-Identifier: MIT

import Synchronization

/// Keys of which one node at a time may hold each.
///
/// Work inside a node that holds keys is given a scope of its own for these: its nodes take turns among themselves,
/// while the node around them keeps everyone else out.
final class MutexKeys: Sendable {
    private typealias WaiterID = MutexKeysStateMachine.WaiterID

    private struct State {
        var machine = MutexKeysStateMachine()
        var continuations: [WaiterID: CheckedContinuation<Bool, Never>] = [:]
        /// The decisions about waiters that were not suspended yet: true if they hold their key.
        var unclaimed: [WaiterID: Bool] = [:]

        /// Decides about a waiter; returns its continuation if it sleeps already.
        mutating func settle(_ id: WaiterID, granted: Bool) -> CheckedContinuation<Bool, Never>? {
            let continuation = continuations.removeValue(forKey: id)
            if continuation == nil {
                unclaimed[id] = granted
            }
            return continuation
        }
    }

    /// The scope of the work that the current task does, when it does it inside a node that holds keys.
    @TaskLocal private static var scope: MutexKeys?

    private let outer: MutexKeys?
    private let ownKeys: Set<String>
    /// The scope around this one, which may be of another manager.
    private let around: MutexKeys?
    private let state = Mutex(State())

    /// Creates the keys of a runtime.
    init() {
        outer = nil
        ownKeys = []
        around = nil
    }

    /// Creates a scope for the work inside a node that holds keys.
    private init(inside outer: MutexKeys, holding keys: Set<String>) {
        self.outer = outer
        ownKeys = keys
        around = Self.scope
    }

    /// Where the current task finds these keys: here, or in the scope of the node that it works for.
    private var current: MutexKeys {
        var scope = Self.scope
        while let candidate = scope {
            if candidate.root === self {
                return candidate
            }
            scope = candidate.around
        }
        return self
    }

    private var root: MutexKeys { outer?.root ?? self }

    /// Runs an operation while holding keys, with a scope of its own for the work inside.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - onWait: Called before each wait for a key that someone holds.
    ///   - operation: The work.
    /// - Returns: What the operation returns.
    /// - Throws: `CancellationError` when the task is cancelled while it waits, or what the operation throws.
    func withKeys<Value: Sendable>(
        _ keys: Set<String>,
        onWait: () -> Void = {},
        _ operation: () async throws -> Value
    ) async throws -> Value {
        let scope = current
        var held: [String] = []
        defer {
            for key in held {
                scope.home(of: key).release(key)
            }
        }
        // One order everywhere, so that two nodes never wait for each other.
        for key in keys.sorted() {
            try await scope.home(of: key).acquire(key, onWait: onWait)
            held.append(key)
        }
        return try await Self.$scope.withValue(MutexKeys(inside: scope, holding: keys)) {
            try await operation()
        }
    }

    /// The keys among which a key is one.
    private func home(of key: String) -> MutexKeys {
        guard let outer, !ownKeys.contains(key) else {
            return self
        }
        return outer.home(of: key)
    }

    private func acquire(_ key: String, onWait: () -> Void) async throws {
        try Task.checkCancellation()
        guard case .wait(let id) = state.withLock({ $0.machine.acquire(key) }) else {
            return
        }
        onWait()
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let settled = state.withLock { state -> Bool? in
                    if let granted = state.unclaimed.removeValue(forKey: id) {
                        return granted
                    }
                    state.continuations[id] = continuation
                    return nil
                }
                if let settled {
                    continuation.resume(returning: settled)
                }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.machine.cancel(id, for: key) ? state.settle(id, granted: false) : nil
            }
            continuation?.resume(returning: false)
        }
        if !isGranted {
            throw CancellationError()
        }
    }

    private func release(_ key: String) {
        let continuation = state.withLock { state in
            state.machine.release(key).flatMap { state.settle($0, granted: true) }
        }
        continuation?.resume(returning: true)
    }

    /// How many keys are held here.
    var heldCount: Int { state.withLock { $0.machine.heldCount } }

    /// How many wait for a key here.
    var waiterCount: Int { state.withLock { $0.machine.waiterCount } }
}
