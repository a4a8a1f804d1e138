// SPDX-License-Identifier: MIT

import Synchronization

/// The runs under way whose identifiers their callers made, so that they can be cancelled by them.
final class NamedRuns: Sendable {
    private let engines = Mutex<[GroupID: GraphEngine]>([:])

    /// Adds a run.
    func enter(_ engine: GraphEngine) {
        engines.withLock { $0[engine.id] = engine }
    }

    /// Removes a run that has ended.
    func leave(_ engine: GraphEngine) {
        engines.withLock { engines in
            if engines[engine.id] === engine {
                engines[engine.id] = nil
            }
        }
    }

    /// Returns the run with an identifier; `nil` if none is under way.
    subscript(id: GroupID) -> GraphEngine? {
        engines.withLock { $0[id] }
    }
}

extension GraphEngine {
    /// Makes the run known to the runtime if its caller made its identifier.
    func enter() {
        if settings.id != nil {
            runtime.namedRuns.enter(self)
        }
    }

    /// Ends what ``enter()`` began.
    func leave() {
        if settings.id != nil {
            runtime.namedRuns.leave(self)
        }
    }
}

extension JobRunner {
    /// Cancels the group or the run of a graph that was started with an identifier.
    ///
    /// ```swift
    /// let id = GroupID()
    /// stopButton.action = { manager.cancelGroup(id) }
    /// let report = await manager.serially(steps, id: id)
    /// ```
    ///
    /// It ends as if its task were cancelled: running members are cancelled, and others do not begin. Calling it again
    /// does nothing.
    ///
    /// - Parameter id: The identifier that was passed to the group or the run.
    /// - Returns: True if it was under way.
    @discardableResult
    public func cancelGroup(_ id: GroupID) -> Bool {
        guard let engine = jobHost.runtime.namedRuns[id] else {
            return false
        }
        engine.cancel()
        return true
    }
}
