// SPDX-License-Identifier: MIT

/// Decides whether calls pass a circuit breaker, and when it opens and closes: pure.
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

    private enum Phase: Sendable, Hashable {
        case closed
        case open(until: Duration)
        case halfOpen(since: Duration, underWay: Int, succeeded: Int)
        case isolated
    }

    private var phase = Phase.closed
    private var window = SlidingWindow()
    private var policy = CircuitBreaker.standard
    /// Counts the changes of the state: what was sent before one says nothing of what is now.
    private var era = 0
    /// The number of calls under way that have passed.
    private var permits = 0

    /// The state, as calls find it now.
    func state(at now: Duration) -> CircuitState {
        if case .open(let until) = phase, until <= now {
            return .halfOpen
        }
        return phaseState
    }

    /// The state since the last change.
    var phaseState: CircuitState {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        case .isolated: .isolated
        }
    }

    var needsLatency: Bool { policy.slowCallDuration != nil }

    mutating func counts(at now: Duration) -> SlidingWindow.Counts {
        window.counts(at: now, in: policy.window)
    }

    /// Returns true if a new breaker may take its place: no call is under way, and it has counted nothing or could have
    /// been probed for as long as its window.
    mutating func isSpent(at now: Duration) -> Bool {
        guard permits == 0 else {
            return false
        }
        return switch phase {
        case .closed: counts(at: now).calls == 0
        case .open(let until): until + policy.window <= now
        case .halfOpen(let since, _, _): since + policy.window <= now
        case .isolated: false
        }
    }

    /// Returns how a call would be refused now; `nil` if it would pass.
    func refusal(at now: Duration) -> Admission? {
        switch phase {
        case .closed:
            return nil
        case .open(let until):
            return until > now ? .refuse(.open, probesIn: until - now) : nil
        case .halfOpen(_, let underWay, let succeeded):
            return underWay + succeeded < max(1, policy.probes) ? nil : .refuse(.halfOpen, probesIn: .zero)
        case .isolated:
            return .refuse(.isolated, probesIn: nil)
        }
    }

    mutating func admit(_ policy: CircuitBreaker, at now: Duration) -> Admission {
        self.policy = policy
        if let refusal = refusal(at: now) {
            return refusal
        }
        switch phase {
        case .open:
            change(to: .halfOpen(since: now, underWay: 1, succeeded: 0))
        case .halfOpen(let since, let underWay, let succeeded):
            phase = .halfOpen(since: since, underWay: underWay + 1, succeeded: succeeded)
        case .closed, .isolated:
            break
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
        if case .halfOpen(let since, let underWay, let succeeded) = phase {
            switch outcome {
            case .unknown:
                phase = .halfOpen(since: since, underWay: underWay - 1, succeeded: succeeded)
            case .success where !isSlow:
                if succeeded + 1 >= max(1, policy.probes) {
                    window = SlidingWindow()
                    change(to: .closed)
                } else {
                    phase = .halfOpen(since: since, underWay: underWay - 1, succeeded: succeeded + 1)
                }
            case .success, .failure:
                change(to: .open(until: now + policy.openDuration))
            }
            return
        }
        guard case .closed = phase, outcome != .unknown else {
            return
        }
        let counts = window.count(at: now, in: policy.window) { counts in
            counts.calls += 1
            counts.failures += outcome == .failure ? 1 : 0
            counts.slow += isSlow ? 1 : 0
        }
        if isTooBad(counts) {
            change(to: .open(until: now + policy.openDuration))
        }
    }

    mutating func isolate() {
        change(to: .isolated)
    }

    mutating func release() {
        window = SlidingWindow()
        change(to: .closed)
    }

    private func isTooBad(_ counts: SlidingWindow.Counts) -> Bool {
        guard counts.calls >= max(1, policy.minimumCalls) else {
            return false
        }
        let calls = Double(counts.calls)
        return counts.failures > 0 && Double(counts.failures) >= policy.failureRatio * calls
            || policy.slowCallDuration != nil && counts.slow > 0 && Double(counts.slow) >= policy.slowCallRatio * calls
    }

    private mutating func change(to phase: Phase) {
        self.phase = phase
        era += 1
    }
}
