// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct CircuitStateMachineTests {
    private static let policy = CircuitBreaker.failures(4, within: .seconds(10), opensFor: .seconds(5))

    /// A breaker with its own clock.
    private final class Breaker {
        var machine = CircuitStateMachine()
        var policy = CircuitStateMachineTests.policy
        var now = Duration.zero

        /// Sends a call; returns false if it was refused.
        @discardableResult
        func send(_ outcome: GuardOutcome, latency: Duration = .zero) -> Bool {
            guard case .pass(let permit) = machine.admit(policy, at: now) else {
                return false
            }
            machine.finish(permit, outcome, latency: latency, at: now)
            return true
        }

        func begin() -> CircuitStateMachine.Permit? {
            guard case .pass(let permit) = machine.admit(policy, at: now) else {
                return nil
            }
            return permit
        }

        func admit() -> CircuitStateMachine.Admission {
            machine.admit(policy, at: now)
        }

        var callCount: Int { machine.counts(at: now).calls }

        var state: CircuitState { machine.state(at: now) }
    }

    @Test(arguments: [(Duration?.none, false), (.seconds(1), true)])
    func `the time of a call counts where slow calls do`(duration: Duration?, needsLatency: Bool) {
        let breaker = Breaker()
        breaker.policy.slowCallDuration = duration
        breaker.send(.success)
        #expect(breaker.machine.needsLatency == needsLatency)
    }

    @Test
    func `a breaker opens when half of enough calls have failed`() {
        let breaker = Breaker()
        breaker.send(.success)
        breaker.send(.failure)
        breaker.send(.failure)
        #expect(breaker.state == .closed)
        breaker.send(.success)
        #expect(breaker.state == .open)
    }

    @Test
    func `fewer failures than the ratio leave it closed`() {
        let breaker = Breaker()
        for _ in 0..<100 {
            breaker.send(.success)
            breaker.send(.success)
            breaker.send(.failure)
        }
        #expect(breaker.state == .closed)
    }

    @Test
    func `what the window has left behind counts for nothing`() {
        let breaker = Breaker()
        for _ in 0..<3 {
            breaker.send(.failure)
        }
        breaker.now += .seconds(11)
        for _ in 0..<3 {
            breaker.send(.failure)
        }
        #expect(breaker.state == .closed)
        breaker.send(.failure)
        #expect(breaker.state == .open)
    }

    @Test
    func `an open breaker says when it will probe`() {
        let breaker = Breaker()
        for _ in 0..<4 {
            breaker.send(.failure)
        }
        breaker.now += .seconds(2)
        #expect(breaker.admit() == .refuse(.open, probesIn: .seconds(3)))
    }

    @Test
    func `one probe passes, all others are refused, and its success closes the breaker`() {
        let breaker = Breaker()
        for _ in 0..<4 {
            breaker.send(.failure)
        }
        breaker.now += .seconds(5)
        #expect(breaker.state == .halfOpen)
        let probe = breaker.begin()
        #expect(probe != nil)
        #expect(breaker.admit() == .refuse(.halfOpen, probesIn: .zero))
        if let probe {
            breaker.machine.finish(probe, .success, latency: .zero, at: breaker.now)
        }
        #expect(breaker.state == .closed)
        // The failures of before are forgotten.
        breaker.send(.failure)
        #expect(breaker.state == .closed)
    }

    @Test
    func `a probe that fails opens the breaker for another while`() {
        let breaker = Breaker()
        for _ in 0..<4 {
            breaker.send(.failure)
        }
        breaker.now += .seconds(5)
        #expect(breaker.send(.failure))
        #expect(breaker.state == .open)
        breaker.now += .seconds(4)
        #expect(!breaker.send(.success))
        breaker.now += .seconds(1)
        #expect(breaker.send(.success))
        #expect(breaker.state == .closed)
    }

    @Test
    func `a probe that says nothing gives its place to another one`() {
        let breaker = Breaker()
        for _ in 0..<4 {
            breaker.send(.failure)
        }
        breaker.now += .seconds(5)
        #expect(breaker.send(.unknown))
        #expect(breaker.state == .halfOpen)
        #expect(breaker.send(.success))
        #expect(breaker.state == .closed)
    }

    @Test
    func `as many probes as the policy says must succeed`() {
        let breaker = Breaker()
        breaker.policy.probes = 3
        for _ in 0..<4 {
            breaker.send(.failure)
        }
        breaker.now += .seconds(5)
        let probes = (0..<4).compactMap { _ in breaker.begin() }
        #expect(probes.count == 3)
        for probe in probes.dropLast() {
            breaker.machine.finish(probe, .success, latency: .zero, at: breaker.now)
        }
        #expect(breaker.state == .halfOpen)
        breaker.machine.finish(probes[2], .success, latency: .zero, at: breaker.now)
        #expect(breaker.state == .closed)
    }

    @Test
    func `a probe under way and one that succeeded both take a place`() throws {
        let breaker = Breaker()
        breaker.policy.probes = 3
        for _ in 0..<4 {
            breaker.send(.failure)
        }
        breaker.now += .seconds(5)
        let probes = (0..<3).compactMap { _ in breaker.begin() }
        try #require(probes.count == 3)

        breaker.machine.finish(probes[0], .success, latency: .zero, at: breaker.now)
        #expect(breaker.begin() == nil)
        breaker.machine.finish(probes[1], .unknown, latency: .zero, at: breaker.now)
        let replacements = (0..<3).compactMap { _ in breaker.begin() }
        #expect(replacements.count == 1)
        breaker.machine.finish(probes[2], .success, latency: .zero, at: breaker.now)
        #expect(breaker.state == .halfOpen)
        for replacement in replacements {
            breaker.machine.finish(replacement, .success, latency: .zero, at: breaker.now)
        }
        #expect(breaker.state == .closed)
    }

    @Test
    func `calls that began before a change say nothing after it`() {
        let breaker = Breaker()
        let late = (0..<10).compactMap { _ in breaker.begin() }
        for _ in 0..<4 {
            breaker.send(.failure)
        }
        breaker.now += .seconds(5)
        breaker.send(.success)
        for permit in late {
            breaker.machine.finish(permit, .failure, latency: .zero, at: breaker.now)
        }
        #expect(breaker.state == .closed)
        #expect(breaker.callCount == 0)
    }

    @Test
    func `slow calls open it, and a slow probe keeps it open`() {
        let breaker = Breaker()
        breaker.policy.slowCallDuration = .seconds(1)
        for _ in 0..<3 {
            breaker.send(.success, latency: .seconds(1))
        }
        #expect(breaker.state == .closed)
        breaker.send(.success, latency: .seconds(2))
        #expect(breaker.state == .open)
        breaker.now += .seconds(5)
        breaker.send(.success, latency: .seconds(1))
        #expect(breaker.state == .open)
    }

    @Test
    func `fewer slow calls than the ratio leave it closed`() {
        let breaker = Breaker()
        breaker.policy.slowCallDuration = .seconds(1)
        for _ in 0..<3 {
            breaker.send(.success, latency: .milliseconds(999))
            breaker.send(.success, latency: .seconds(2))
            breaker.send(.success, latency: .seconds(2))
            breaker.send(.success, latency: .seconds(2))
        }
        #expect(breaker.state == .closed)
        breaker.now += .seconds(9)
        for _ in 0..<3 {
            breaker.send(.success, latency: .seconds(1))
        }
        // 12 of 15 are slow: just the ratio.
        #expect(breaker.state == .open)
    }

    @Test
    func `a ratio of zero opens it with the first failure or slow call, and not without one`() {
        for isSlow in [false, true] {
            let breaker = Breaker()
            (breaker.policy.failureRatio, breaker.policy.slowCallRatio) = isSlow ? (0.5, 0) : (0, 0.8)
            breaker.policy.slowCallDuration = .seconds(1)
            for _ in 0..<9 {
                breaker.send(.success)
            }
            #expect(breaker.state == .closed)
            breaker.send(isSlow ? .success : .failure, latency: isSlow ? .seconds(1) : .zero)
            #expect(breaker.state == .open)
        }
    }

    @Test
    func `slow calls count for nothing once the policy does not ask for them`() {
        let breaker = Breaker()
        breaker.policy.minimumCalls = 6
        breaker.policy.slowCallDuration = .seconds(1)
        for _ in 0..<5 {
            breaker.send(.success, latency: .seconds(1))
        }
        breaker.policy.slowCallDuration = nil
        breaker.send(.success, latency: .seconds(1))
        #expect(breaker.state == .closed)
        breaker.policy.slowCallDuration = .seconds(1)
        breaker.send(.success, latency: .seconds(1))
        #expect(breaker.state == .open)
    }

    @Test(arguments: [-1, 0, 1])
    func `one call is enough for a policy that asks for none`(minimum: Int) {
        let breaker = Breaker()
        breaker.policy.minimumCalls = minimum
        #expect(breaker.state == .closed)
        breaker.send(.failure)
        #expect(breaker.state == .open)
        #expect(breaker.machine.phaseState == .open)
    }

    @Test
    func `an isolated breaker refuses until it is released`() {
        let breaker = Breaker()
        breaker.machine.isolate()
        breaker.now += .seconds(1_000)
        #expect(breaker.admit() == .refuse(.isolated, probesIn: nil))
        breaker.machine.release()
        #expect(breaker.send(.success))
    }

    @Test(arguments: [
        (200, GuardOutcome.success), (404, .success), (429, .success), (500, .failure), (503, .failure),
        (599, .failure),
    ])
    func `statuses of 500 and above are failures`(status: Int, outcome: GuardOutcome) {
        #expect(GuardOutcome(.init(code: status), accepted: .successful) == outcome)
    }

    @Test
    func `an accepted status is a success, and an error of this side says nothing`() {
        #expect(GuardOutcome(.serviceUnavailable, accepted: [.serviceUnavailable]) == .success)
        #expect(GuardOutcome(RestClientError(.connectionFailed, "")) == .failure)
        #expect(GuardOutcome(RestClientError(.timeout, "")) == .failure)
        #expect(GuardOutcome(RestClientError(.invalidHeader, "")) == .unknown)
        #expect(GuardOutcome(RestClientError(.tooManyRedirects, "")) == .success)
        #expect(GuardOutcome(CancellationError()) == .unknown)
    }
}
