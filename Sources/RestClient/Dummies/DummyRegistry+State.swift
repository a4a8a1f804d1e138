// SPDX-License-Identifier: MIT

import DequeModule

extension DummyRegistry {
    /// The contents of a registry: mode, dummies, counts, scenarios and the log of calls.
    ///
    /// A value without locks, clocks or calls to the user's code. The registry guards one with its lock.
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
        private var counts: [DummyID: Int] = [:]
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
            counts[id] = nil
        }

        mutating func removeAll() {
            responders.removeAll()
            counts.removeAll()
        }

        mutating func reset() {
            counts.removeAll()
            scenarios.removeAll()
            calls.removeAll()
            lastCall = 0
        }

        // MARK: - Choice

        /// Chooses the first dummy that is registered and may respond, counts the call, and advances its scenario.
        mutating func choose(among candidates: [DummyResponder]) -> (index: Int, number: Int)? {
            for (index, candidate) in candidates.enumerated() where obstacle(to: candidate) == nil {
                let number = (counts[candidate.id] ?? 0) + 1
                counts[candidate.id] = number
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
            if let limit = responder.dummy.limit, (counts[responder.id] ?? 0) >= limit {
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

        mutating func log(
            _ request: DummyRequest,
            _ context: DummyContext,
            respondedBy responder: DummyResponder?,
            _ mode: DummyMode,
            nearest: String? = nil
        ) {
            lastCall += 1
            calls.append(
                DummyCall(
                    number: lastCall,
                    request: request,
                    responder: responder,
                    mode: mode,
                    nearest: nearest,
                    context: context
                )
            )
            dropOldestCalls()
        }

        private mutating func dropOldestCalls() {
            while calls.count > max(0, callLimit) {
                calls.removeFirst()
            }
        }
    }
}
