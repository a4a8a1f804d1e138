// SPDX-License-Identifier: MIT

import Synchronization

/// The runs under way whose identifiers their callers made, so that they can be cancelled by them.
final class NamedRuns: Sendable {
    private let runs = Mutex<[GroupID: any NamedRun]>([:])

    func enter(_ run: any NamedRun) {
        runs.withLock { $0[run.id] = run }
    }

    func leave(_ run: any NamedRun) {
        runs.withLock { runs in
            if runs[run.id] === run {
                runs[run.id] = nil
            }
        }
    }

    subscript(id: GroupID) -> (any NamedRun)? {
        runs.withLock { $0[id] }
    }
}

extension JobRunner {
    /// Cancels the group or the run of a graph that was started with an identifier.
    ///
    /// ```swift
    /// let id = GroupID()
    /// stopButton.action = { runtime.cancelGroup(id) }
    /// let report = await runtime.serially(steps, id: id)
    /// ```
    ///
    /// It ends as if its task were cancelled: running members are cancelled, and others do not begin. Calling it again
    /// does nothing.
    ///
    /// - Parameter id: The identifier that was passed to the group or the run.
    /// - Returns: True if it was under way.
    @discardableResult
    public func cancelGroup(_ id: GroupID) -> Bool {
        guard let run = jobHost.runtime.namedRuns[id] else {
            return false
        }
        run.cancel()
        return true
    }
}
