// SPDX-License-Identifier: MIT

/// Decides whether calls pass a circuit breaker, and when it opens and closes, without I/O.
struct CircuitStateMachine: Sendable {
    /// The leave to send a call, which says under which state it was given.
    struct Permit: Sendable, Hashable {
        fileprivate let era: Int
    }

    enum Admission: Sendable, Hashable {
        case pass(Permit)
        /// It fails at once; the server is probed after this time, if that is known.
        case refuse(CircuitState, probesIn: Duration?)
    }

    /// The state since the last change.
    private(set) var phaseState = CircuitState.closed
    /// The end of the open state, or the beginning of the half-open one.
    private var instant = Duration.zero
    private var probesUnderWay = 0
    private var probesSucceeded = 0
    private var calls = StartLog()
    private var failures = StartLog()
    private var slow = StartLog()
    private var policy = CircuitBreaker.standard
    /// Counts the changes of the state: what was sent before one says nothing of what is now.
    private var era = 0
    /// The number of calls under way that have passed.
    private var permits = 0

    /// The state, as calls find it now.
    func state(at now: Duration) -> CircuitState {
        phaseState == .open && instant <= now ? .halfOpen : phaseState
    }

    var needsLatency: Bool { policy.slowCallDuration != nil }

    mutating func counts(at now: Duration) -> (calls: Int, failures: Int, slow: Int) {
        let step = StartLog.step(of: now, in: policy.window)
        return (calls.count(upTo: step), failures.count(upTo: step), slow.count(upTo: step))
    }

    /// Returns true if a new breaker may take its place: no call is under way, and it has counted nothing or could have
    /// been probed for as long as its window.
    mutating func isSpent(at now: Duration) -> Bool {
        switch phaseState {
        case .closed: permits == 0 && counts(at: now).calls == 0
        case .open, .halfOpen: permits == 0 && instant + policy.window <= now
        case .isolated: false
        }
    }

    /// Returns how a call would be refused now; `nil` if it would pass.
    func refusal(at now: Duration) -> Admission? {
        switch phaseState {
        case .closed: nil
        case .open: instant > now ? .refuse(.open, probesIn: instant - now) : nil
        case .halfOpen:
            probesUnderWay + probesSucceeded < max(1, policy.probes) ? nil : .refuse(.halfOpen, probesIn: .zero)
        case .isolated: .refuse(.isolated, probesIn: nil)
        }
    }

    mutating func admit(_ policy: CircuitBreaker, at now: Duration) -> Admission {
        self.policy = policy
        if let refusal = refusal(at: now) {
            return refusal
        }
        if phaseState == .open {
            change(to: .halfOpen, now)
        }
        if phaseState == .halfOpen {
            probesUnderWay += 1
        }
        permits += 1
        return .pass(Permit(era: era))
    }

    mutating func finish(_ permit: Permit, _ outcome: GuardOutcome, latency: Duration, at now: Duration) {
        permits -= 1
        guard permit.era == era else {
            return
        }
        let isSlow = policy.slowCallDuration.map { latency >= $0 } ?? false
        if phaseState == .halfOpen {
            probesUnderWay -= 1
            if outcome == .failure || outcome == .success && isSlow {
                change(to: .open, now + policy.openDuration)
            } else if outcome == .success {
                probesSucceeded += 1
                if probesSucceeded >= max(1, policy.probes) {
                    release()
                }
            }
            return
        }
        guard phaseState == .closed, outcome != .unknown else {
            return
        }
        let step = StartLog.step(of: now, in: policy.window)
        let calls = calls.count(1, upTo: step)
        let failures = failures.count(outcome == .failure ? 1 : 0, upTo: step)
        let slow = slow.count(isSlow ? 1 : 0, upTo: step)
        guard calls >= max(1, policy.minimumCalls) else {
            return
        }
        if failures > 0 && Double(failures) >= policy.failureRatio * Double(calls)
            || slow > 0 && policy.slowCallDuration != nil && Double(slow) >= policy.slowCallRatio * Double(calls)
        {
            change(to: .open, now + policy.openDuration)
        }
    }

    mutating func isolate() {
        change(to: .isolated, .zero)
    }

    mutating func release() {
        (calls, failures, slow) = (StartLog(), StartLog(), StartLog())
        change(to: .closed, .zero)
    }

    private mutating func change(to state: CircuitState, _ instant: Duration) {
        phaseState = state
        self.instant = instant
        (probesUnderWay, probesSucceeded) = (0, 0)
        era += 1
    }
}
