// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite
struct ReconnectionStateMachineTests {
    private struct Cut: Error {}

    private let stream = "text/event-stream"

    private func text(_ action: ReconnectionStateMachine.Action) -> String {
        switch action {
        case .none: "none"
        case .connect: "connect"
        case .read: "read"
        case .wait(let time): "wait \(time)"
        case .finish: "finish"
        case .fail(let error): "fail \((error as? RestClientError)?.code.description ?? "\(type(of: error))")"
        }
    }

    /// Returns a machine whose stream is open.
    private func opened(_ policy: EventStreamPolicy = EventStreamPolicy()) -> ReconnectionStateMachine {
        var machine = ReconnectionStateMachine(policy)
        _ = machine.start()
        _ = machine.responded(status: 200, contentType: stream, random: 0)
        return machine
    }

    @Test
    func `a stream that ends continues after its last event`() {
        var machine = ReconnectionStateMachine()

        #expect(text(machine.start()) == "connect")
        #expect(machine.position.isEmpty)
        #expect(text(machine.responded(status: 200, contentType: stream, random: 0)) == "read")
        #expect(machine.position.isEmpty)
        machine.received(position: "7", reconnectionTime: nil)
        #expect(text(machine.ended(nil, random: 0)) == "wait 3.0 seconds")
        #expect(text(machine.waited()) == "connect")
        #expect(machine.position == "7")
        #expect(text(machine.responded(status: 200, contentType: stream, random: 0)) == "read")
        #expect(machine.position == "7")
    }

    @Test
    func `an interrupted stream and a failed request continue as well`() {
        var machine = opened()

        #expect(text(machine.ended(Cut(), random: 0)) == "wait 3.0 seconds")
        #expect(text(machine.waited()) == "connect")
        #expect(text(machine.ended(Cut(), random: 0)) == "wait 6.0 seconds")
    }

    @Test
    func `the server names the wait`() {
        var machine = opened()

        machine.received(position: "", reconnectionTime: .milliseconds(200))
        #expect(text(machine.ended(nil, random: 0)) == "wait 0.2 seconds")
        _ = machine.waited()
        _ = machine.responded(status: 200, contentType: stream, random: 0)
        machine.received(position: "", reconnectionTime: nil)

        #expect(text(machine.ended(nil, random: 1)) == "wait 0.2 seconds")
    }

    @Test(arguments: [0, 1, 99], [true, false])
    func `no wait is shorter than a tenth of a second, whoever sets it`(milliseconds: Int, isServers: Bool) {
        var policy = EventStreamPolicy()
        policy.backoff.first = isServers ? .seconds(3) : .milliseconds(milliseconds)
        policy.backoff.jitter = 1
        var machine = opened(policy)
        if isServers {
            machine.received(position: "", reconnectionTime: .milliseconds(milliseconds))
        }

        #expect(text(machine.ended(nil, random: 1)) == "wait 0.1 seconds")
        _ = machine.waited()
        #expect(text(machine.ended(Cut(), random: 1)) == "wait 0.1 seconds")
        _ = machine.waited()
        #expect(text(machine.ended(Cut(), random: 0)) == "wait \(isServers ? 0.2 : 0.4) seconds")
    }

    @Test(arguments: [0.0, 0.3, 1.0])
    func `waits grow up to a limit while nothing comes, and never fall below the first`(random: Double) {
        var policy = EventStreamPolicy()
        policy.backoff.longest = .seconds(20)
        var machine = ReconnectionStateMachine(policy)
        _ = machine.start()
        for whole in [3.0, 6, 12, 20, 20, 20] {
            guard case .wait(let wait) = machine.ended(Cut(), random: random) else {
                Issue.record("no wait")
                return
            }
            let expected = whole == 3 ? 3 : max(3, whole * (1 - random / 2))
            #expect(abs(wait / .seconds(1) - expected) < 1e-6)
            _ = machine.waited()
        }
    }

    @Test
    func `bytes make the next wait the first of its kind`() {
        var machine = ReconnectionStateMachine()
        _ = machine.start()
        for _ in 0..<4 {
            _ = machine.ended(Cut(), random: 0)
            _ = machine.waited()
        }
        _ = machine.responded(status: 200, contentType: stream, random: 0)

        machine.received(position: "", reconnectionTime: nil)

        #expect(text(machine.ended(nil, random: 0)) == "wait 3.0 seconds")
        _ = machine.waited()
        #expect(text(machine.ended(Cut(), random: 0)) == "wait 3.0 seconds")
        _ = machine.waited()
        #expect(text(machine.ended(Cut(), random: 0)) == "wait 6.0 seconds")
    }

    @Test
    func `a server that accepts and closes at once is not asked ever faster`() {
        var machine = opened()
        var waits: [String] = []
        for _ in 0..<3 {
            waits.append(text(machine.ended(nil, random: 0)))
            _ = machine.waited()
            _ = machine.responded(status: 200, contentType: stream, random: 0)
        }

        #expect(waits == ["wait 3.0 seconds", "wait 6.0 seconds", "wait 12.0 seconds"])
    }

    @Test
    func `204 ends the stream`() {
        var machine = ReconnectionStateMachine()
        _ = machine.start()

        #expect(text(machine.responded(status: 204, contentType: nil, random: 0)) == "finish")
        #expect(machine.isOver)
        #expect(text(machine.ended(nil, random: 0)) == "none")
    }

    @Test(arguments: [201, 205, 206, 304, 400, 401, 404, 410, 429, 500, 502, 503])
    func `any other status fails the stream`(status: Int) {
        var machine = ReconnectionStateMachine()
        _ = machine.start()

        #expect(text(machine.responded(status: status, contentType: stream, random: 0)) == "fail notAnEventStream")
        #expect(machine.isOver)
    }

    @Test(arguments: [
        ("text/event-stream", true), ("text/event-stream;charset=utf-8", true), ("TEXT/Event-Stream ; x=1", true),
        (" text/event-stream", true), ("text/event-stream;charset=windows-1251", true),
        ("text/event-stream bogus", false),
        ("text/event-streamer", false), ("text/html", false), ("", false), (nil, false),
    ])
    func `the content type must be that of event streams`(contentType: String?, isRight: Bool) {
        var machine = ReconnectionStateMachine()
        _ = machine.start()

        let action = text(machine.responded(status: 200, contentType: contentType, random: 0))

        #expect(action == (isRight ? "read" : "fail notAnEventStream"))
    }

    @Test
    func `statuses that the policy lists as transient cause a new request`() {
        var policy = EventStreamPolicy()
        policy.transientStatuses = [503]
        policy.failureLimit = 1
        var machine = ReconnectionStateMachine(policy)
        _ = machine.start()

        #expect(text(machine.responded(status: 503, contentType: nil, random: 0)) == "wait 3.0 seconds")
        #expect(text(machine.ended(nil, random: 0)) == "none")
        #expect(text(machine.waited()) == "connect")
        #expect(text(machine.responded(status: 503, contentType: nil, random: 0)) == "fail unacceptableStatus")
    }

    @Test
    func `a stream without new requests ends as its response does`() {
        var ended = opened(.once)
        var cut = opened(.once)

        #expect(text(ended.ended(nil, random: 0)) == "finish")
        #expect(text(cut.ended(Cut(), random: 0)) == "fail Cut")
    }

    @Test
    func `failures in succession are limited`() {
        var policy = EventStreamPolicy()
        policy.failureLimit = 2
        var machine = ReconnectionStateMachine(policy)
        _ = machine.start()

        for expected in ["wait 3.0 seconds", "wait 6.0 seconds", "fail Cut"] {
            #expect(text(machine.ended(Cut(), random: 0)) == expected)
            _ = machine.waited()
        }
        #expect(machine.isOver)
    }

    @Test
    func `a timeout before the server accepts is a failure, and one in an open stream is none`() {
        var policy = EventStreamPolicy()
        policy.failureLimit = 2
        var machine = ReconnectionStateMachine(policy)
        let timeout = RestClientError(.timeout, "")
        _ = machine.start()

        for expected in ["wait 3.0 seconds", "wait 6.0 seconds"] {
            #expect(text(machine.ended(timeout, random: 0)) == expected)
            _ = machine.waited()
        }
        for _ in 0..<4 {
            _ = machine.responded(status: 200, contentType: stream, random: 0)
            #expect(text(machine.ended(timeout, random: 0)) == "wait 3.0 seconds")
            _ = machine.waited()
        }
        for expected in ["wait 3.0 seconds", "wait 6.0 seconds", "fail timeout"] {
            #expect(text(machine.ended(timeout, random: 0)) == expected)
            _ = machine.waited()
        }
    }

    @Test(arguments: [RestClientError.Code.circuitOpen, .rateLimitExceeded])
    func `refusals do not count, and last as long as they say`(code: RestClientError.Code) {
        var policy = EventStreamPolicy()
        policy.failureLimit = 1
        var machine = ReconnectionStateMachine(policy)
        _ = machine.start()
        let refusals: [(Duration?, String)] = [
            (nil, "3.0"), (.zero, "3.0"), (.seconds(2), "3.0"), (.seconds(7), "7.0"), (.seconds(-5), "3.0"),
            (.seconds(Int64.max), "\(Duration.century / .seconds(1))"),
        ]

        for (time, expected) in refusals {
            var error = RestClientError(code, "")
            error.refusedFor = time
            #expect(text(machine.ended(error, random: 0)) == "wait \(expected) seconds")
            _ = machine.waited()
        }
    }

    @Test(arguments: [RestClientError.Code.circuitOpen, .rateLimitExceeded], [false, true])
    func `refusals without an end last a second, also if the policy or the server wants no wait`(
        code: RestClientError.Code,
        isServers: Bool
    ) {
        var policy = EventStreamPolicy()
        policy.backoff.first = isServers ? .seconds(3) : .zero
        var machine = opened(policy)
        machine.received(position: "", reconnectionTime: isServers ? .zero : nil)
        let refusals: [(Duration?, String)] = [
            (nil, "1.0"), (.zero, "1.0"), (.seconds(-5), "1.0"), (.milliseconds(10), "0.1"), (.seconds(7), "7.0"),
        ]

        #expect(text(machine.ended(nil, random: 0)) == "wait 0.1 seconds")
        for (time, expected) in refusals {
            _ = machine.waited()
            var error = RestClientError(code, "")
            error.refusedFor = time
            #expect(text(machine.ended(error, random: 0)) == "wait \(expected) seconds")
        }
    }

    @Test
    func `a refusal ends a stream without new requests`() {
        var machine = ReconnectionStateMachine(.once)
        _ = machine.start()

        #expect(text(machine.ended(RestClientError(.circuitOpen, ""), random: 0)) == "fail circuitOpen")
    }

    @Test
    func `an event that cannot be read ends the stream, once`() {
        var machine = opened()

        #expect(text(machine.failed(RestClientError(.lineTooLong, ""))) == "fail lineTooLong")
        #expect(text(machine.failed(Cut())) == "none")
        #expect(text(machine.finish()) == "none")
    }

    @Test
    func `an identifier that cannot stand in a field is none`() {
        var machine = ReconnectionStateMachine(position: "a\r\nHost: evil")

        #expect(text(machine.start()) == "connect")
        #expect(machine.position.isEmpty)
    }

    @Test
    func `a policy of retries judges the requests of a download, and counts those in succession that bring nothing`() {
        var generator = SeededGenerator(seed: 5)
        let retry = RetryPolicy(attempts: 3, backoff: Backoff(.seconds(1), jitter: 0))
        let cut = AttemptFailure(Cut())
        var machine = ReconnectionStateMachine()
        var actions: [String] = []
        for brings in [false, false, true, false, false] {
            _ = machine.start()
            _ = machine.waited()
            _ = machine.opened()
            if brings {
                machine.received()
            }
            actions.append(text(machine.failed(cut, by: retry, using: &generator)))
        }

        #expect(
            actions == [
                "wait 1.0 seconds", "wait 2.0 seconds", "wait 1.0 seconds", "wait 2.0 seconds", "fail Cut",
            ]
        )
        #expect(text(machine.failed(cut, by: retry, using: &generator)) == "none")

        var single = ReconnectionStateMachine()
        _ = single.start()
        _ = single.opened()
        #expect(text(single.failed(cut, by: nil, using: &generator)) == "fail Cut")
    }

    @Test
    func `cancelling ends the stream in every state, once`() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            var machine = ReconnectionStateMachine()
            var ends = 0
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                let action: ReconnectionStateMachine.Action
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: action = machine.start()
                case 1: action = machine.responded(status: 200, contentType: stream, random: 0)
                case 2: action = machine.ended(Bool.random(using: &generator) ? Cut() : nil, random: 0.5)
                case 3: action = machine.waited()
                default: action = machine.responded(status: 500, contentType: nil, random: 0)
                }
                if case .fail = action {
                    ends += 1
                }
            }
            if case .finish = machine.finish() {
                ends += 1
            }
            #expect(ends == 1)
            #expect(text(machine.finish()) == "none")
            #expect(text(machine.start()) == "none")
            #expect(text(machine.waited()) == "none")
            #expect(machine.isOver)
        }
    }
}
