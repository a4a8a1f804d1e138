// SPDX-License-Identifier: MIT

import DequeModule

extension DummyRegistry {
    /// The contents of a registry, which guards them with its lock; they call no code of the user.
    struct State {
        var mode: DummyMode
        private(set) var responders: [DummyResponder] = []
        private(set) var calls: Deque<DummyCall> = []

        var callLimit = 1_000 {
            didSet { dropOldestCalls() }
        }

        private var scenarios: [String: String] = [:]
        private var lastCall = 0

        init(mode: DummyMode = .off) {
            self.mode = mode
        }

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

        func state(of scenario: String) -> String {
            scenarios[scenario] ?? Dummy.startState
        }

        mutating func setState(_ state: String, of scenario: String) {
            scenarios[scenario] = state
        }

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
