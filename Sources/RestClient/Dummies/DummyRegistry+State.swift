// SPDX-License-Identifier: MIT

import DequeModule

extension DummyRegistry {
    /// The contents of a registry: mode, dummies, counts, scenarios and the log of calls.
    ///
    /// It has no locks or clocks and does not call the user's code. The registry guards one with its lock.
    struct State {
        var mode: DummyMode
        private(set) var responders: [DummyResponder] = []
        private(set) var calls: Deque<DummyCall> = []

        /// The largest number of calls to keep.
        ///
        /// The oldest are dropped.
        var callLimit = 1_000 {
            didSet { dropOldestCalls() }
        }

        private var scenarios: [String: String] = [:]
        private var lastCall = 0

        init(mode: DummyMode = .off) {
            self.mode = mode
        }

        // MARK: - Registration

        mutating func add(_ responder: DummyResponder) {
            responders.append(responder)
        }

        mutating func remove(_ id: DummyID) {
            responders.removeAll { $0.id == id }
        }

        mutating func removeAll() {
            responders.removeAll()
        }

        mutating func reset() {
            for responder in responders {
                responder.setCallCount(0)
            }
            scenarios.removeAll()
            calls.removeAll()
            lastCall = 0
        }

        // MARK: - Choice

        /// Chooses the first dummy that is registered and may respond, counts the call, and advances its scenario.
        mutating func choose(among candidates: [DummyResponder]) -> (index: Int, number: Int)? {
            for (index, candidate) in candidates.enumerated() where obstacle(to: candidate) == nil {
                let number = candidate.callCount + 1
                candidate.setCallCount(number)
                if let scenario = candidate.dummy.scenario, let next = scenario.next {
                    scenarios[scenario.name] = next
                }
                return (index, number)
            }
            return nil
        }

        /// Returns the reason why a dummy that matches does not respond; `nil` if it does.
        func obstacle(to responder: DummyResponder) -> String? {
            guard responders.contains(where: { $0.id == responder.id }) else {
                return "removed"
            }
            if let limit = responder.dummy.limit, responder.callCount >= limit {
                return limit == 1 ? "used up after its one call" : "used up after its \(limit) calls"
            }
            if let scenario = responder.dummy.scenario, let wanted = scenario.state {
                let state = state(of: scenario.name)
                return state == wanted ? nil : "scenario '\(scenario.name)': in '\(state)' instead of '\(wanted)'"
            }
            return nil
        }

        // MARK: - Scenarios

        func state(of scenario: String) -> String {
            scenarios[scenario] ?? Dummy.startState
        }

        mutating func setState(_ state: String, of scenario: String) {
            scenarios[scenario] = state
        }

        // MARK: - Calls

        var droppedCallCount: Int { lastCall - calls.count }

        mutating func log(_ call: (_ number: Int) -> DummyCall) {
            lastCall += 1
            calls.append(call(lastCall))
            dropOldestCalls()
        }

        private mutating func dropOldestCalls() {
            while calls.count > max(0, callLimit) {
                calls.removeFirst()
            }
        }
    }
}
