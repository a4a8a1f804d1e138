// SPDX-License-Identifier: MIT

import Synchronization

final class ServerCircuit: Sendable {
    private let key: GuardKey
    private let state = Mutex(CircuitStateMachine())

    init(_ key: GuardKey) {
        self.key = key
    }

    var machine: CircuitStateMachine { state.withLock { $0 } }

    func check(at now: Duration) throws(RestClientError) {
        if case .refuse(let found, let probesIn) = state.withLock({ $0.refusal(at: now) }) {
            throw refusal(found, probesIn)
        }
    }

    /// Lets a call pass, or refuses it; returns the state of the breaker if that has changed.
    func admit(
        _ policy: CircuitBreaker,
        at now: Duration
    ) throws(RestClientError) -> (permit: CircuitStateMachine.Permit, changed: CircuitState?) {
        let (admission, changed) = change { $0.admit(policy, at: now) }
        switch admission {
        case .pass(let permit): return (permit, changed)
        case .refuse(let state, let probesIn): throw refusal(state, probesIn)
        }
    }

    /// Records the end of a call that had passed; `latency` is called under the lock, only if the breaker asks for it.
    func finish(
        _ permit: CircuitStateMachine.Permit,
        _ outcome: GuardOutcome,
        latency: () -> Duration,
        at now: Duration
    ) -> CircuitState? {
        change { $0.finish(permit, outcome, latency: $0.needsLatency ? latency() : .zero, at: now) }.changed
    }

    func isolate() -> CircuitState? {
        change { $0.isolate() }.changed
    }

    func release() -> CircuitState? {
        change { $0.release() }.changed
    }

    private func change<Result: Sendable>(
        _ body: (inout CircuitStateMachine) -> Result
    ) -> (result: Result, changed: CircuitState?) {
        state.withLock { machine in
            // An open breaker becomes half open when a call comes, and not by itself.
            let before = machine.phaseState
            let result = body(&machine)
            let after = machine.phaseState
            return (result, before == after ? nil : after)
        }
    }

    private func refusal(_ state: CircuitState, _ probesIn: Duration?) -> RestClientError {
        let refusal = CircuitRefusal(server: key.description, state: state, probesIn: probesIn)
        var error = RestClientError(.circuitOpen, "the call was not sent, because \(refusal)", underlying: refusal)
        error.refusedFor = probesIn
        return error
    }
}
