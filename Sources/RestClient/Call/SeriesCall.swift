// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import Synchronization

/// The call that observers see in place of the calls of a series, which have no beginning and no end of their own.
final class SeriesCall: Sendable {
    struct Facts: Sendable {
        /// The request, once the series has begun.
        var request: RequestSummary?
        /// The latest successful response.
        var status = HTTPResponse.Status.ok
        var source = ResponseSource.network
        /// The timings of the latest call that ended.
        var timings: CallTimings?
        var attempts = 0
        var isOver = false
    }

    let id: CallID
    let groupID: GroupID?
    /// The time on the manager's clock at which the series began.
    let start: Duration
    private let state = Mutex(Facts())

    init(id: CallID, groupID: GroupID?, start: Duration) {
        self.id = id
        self.groupID = groupID
        self.start = start
    }

    var facts: Facts { state.withLock { $0 } }

    /// Records that a call begins; returns true for the first one.
    func begin(_ request: @autoclosure () -> RequestSummary) -> Bool {
        let isFirst = state.withLock { $0.request == nil }
        guard isFirst else {
            return false
        }
        let request = request()
        return state.withLock { facts in
            defer { facts.request = facts.request ?? request }
            return facts.request == nil
        }
    }

    /// Counts an attempt of any of the calls; returns its number, beginning with 1.
    func beginAttempt() -> Int {
        state.withLock { facts in
            facts.attempts += 1
            return facts.attempts
        }
    }

    /// Records the head of a response that was accepted.
    func responded(_ status: HTTPResponse.Status, _ source: ResponseSource) {
        state.withLock { facts in
            if status.code < 300 {
                (facts.status, facts.source) = (status, source)
            }
        }
    }

    func left(_ timings: CallTimings?) {
        state.withLock { $0.timings = timings }
    }

    /// Ends the series; returns true if it had begun, and had not ended.
    func end() -> Bool {
        state.withLock { facts in
            defer { facts.isOver = true }
            return !facts.isOver && facts.request != nil
        }
    }
}
