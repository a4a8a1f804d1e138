// SPDX-License-Identifier: MIT

import DequeModule

/// What a registry keeps of its dummies: who is there, who answered how often, which state scenarios are in, and what came.
///
/// A value without lock, clock or calls to the user's code; the registry owns one under its lock.
struct DummyLedger {
    private(set) var responders: [DummyResponder] = []
    private(set) var scenarios: [String: String] = [:]
    private(set) var calls: Deque<DummyCall> = []

    /// How many calls are remembered; the oldest are forgotten.
    var callLimit = 1_000 {
        didSet { forgetOldest() }
    }

    private var counts: [DummyResponder.ID: Int] = [:]
    private var lastCall = 0

    // MARK: Who is there

    mutating func add(_ responder: DummyResponder) {
        responders.append(responder)
    }

    mutating func remove(_ id: DummyResponder.ID) {
        responders.removeAll { $0.id == id }
        counts[id] = nil
    }

    mutating func removeAll() {
        responders.removeAll()
        counts.removeAll()
    }

    /// Makes everything as if no call had come, and every dummy just been registered.
    mutating func reset() {
        counts.removeAll()
        scenarios.removeAll()
        calls.removeAll()
        lastCall = 0
    }

    // MARK: Who answers

    /// Chooses the first of the dummies that is still there and free to answer; counts the call, and goes on in its scenario.
    ///
    /// - Returns: The index of the one chosen and the number of its call, from 1; `nil` when none may answer.
    mutating func claim(_ candidates: [DummyResponder]) -> (index: Int, number: Int)? {
        for (index, candidate) in candidates.enumerated() where hindrance(of: candidate) == nil {
            let number = (counts[candidate.id] ?? 0) + 1
            counts[candidate.id] = number
            if let scene = candidate.dummy.scene, let next = scene.next {
                scenarios[scene.scenario] = next
            }
            return (index, number)
        }
        return nil
    }

    /// Why a dummy that fits does not answer; `nil` when it does.
    func hindrance(of responder: DummyResponder) -> String? {
        guard responders.contains(where: { $0.id == responder.id }) else {
            return "removed"
        }
        if let limit = responder.dummy.limit, (counts[responder.id] ?? 0) >= limit {
            return limit == 1 ? "used up after its one call" : "used up after its \(limit) calls"
        }
        if let scene = responder.dummy.scene, let state = scene.state, state != self.state(of: scene.scenario) {
            return "scenario '\(scene.scenario)': in '\(self.state(of: scene.scenario))' instead of '\(state)'"
        }
        return nil
    }

    // MARK: Scenarios

    func state(of scenario: String) -> String {
        scenarios[scenario] ?? Dummy.startState
    }

    mutating func setState(_ state: String, of scenario: String) {
        scenarios[scenario] = state
    }

    // MARK: What came

    /// How many calls came that are not remembered any more.
    var forgottenCount: Int { lastCall - calls.count }

    mutating func record(
        _ request: DummyRequest,
        _ context: DummyContext,
        answeredBy responder: DummyResponder?,
        _ mode: DummyMode
    ) {
        lastCall += 1
        calls.append(DummyCall(number: lastCall, request: request, responder: responder, mode: mode, context: context))
        forgetOldest()
    }

    private mutating func forgetOldest() {
        while calls.count > max(0, callLimit) {
            calls.removeFirst()
        }
    }
}
