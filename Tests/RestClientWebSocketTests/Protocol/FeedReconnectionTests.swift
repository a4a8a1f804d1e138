// SPDX-License-Identifier: MIT

import RestClient
import Testing

@testable import RestClientWebSocket

/// When a feed is connected again.
@Suite
struct FeedReconnectionTests {
    private func action(_ action: ReconnectionStateMachine.Action) -> String {
        switch action {
        case .none: "none"
        case .connect: "connect"
        case .read: "read"
        case .wait(let duration): "wait \(duration)"
        case .finish: "finish"
        case .fail(let error): "fail \((error as? RestClientError)?.code.description ?? "\(error)")"
        }
    }

    private func opened(_ policy: EventStreamPolicy = EventStreamPolicy()) -> ReconnectionStateMachine {
        var machine = ReconnectionStateMachine(policy)
        #expect(action(machine.start()) == "connect")
        #expect(action(machine.opened()) == "read")
        return machine
    }

    @Test(arguments: [
        (WebSocketCloseCode.normal, "finish"), (.goingAway, "wait 3.0 seconds"), (.noStatus, "wait 3.0 seconds"),
    ])
    func `a regular close ends the feed only if the server says so`(code: WebSocketCloseCode, expected: String) {
        var machine = opened()
        #expect(action(machine.closed(WebSocketClosure(code, isByServer: true), random: 0)) == expected)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .milliseconds(1)])
    func `no wait is shorter than a tenth of a second, whoever sets it`(first: Duration) {
        var policy = EventStreamPolicy()
        policy.backoff.first = first
        var machine = opened(policy)

        #expect(action(machine.closed(WebSocketClosure(.goingAway, isByServer: true), random: 0)) == "wait 0.1 seconds")
    }

    @Test
    func `an own close ends the feed`() {
        var machine = opened()
        #expect(action(machine.closed(WebSocketClosure(.goingAway, isByServer: false), random: 0)) == "finish")
    }

    @Test(arguments: [
        (WebSocketCloseCode.internalError, true), (.serviceRestart, true), (.tryAgainLater, true), (.badGateway, true),
        (.policyViolation, false), (.protocolError, false), (.unsupportedData, false), (4000, false),
    ])
    func `other closes fail it, unless they are passing`(code: WebSocketCloseCode, isTransient: Bool) {
        var machine = opened()
        let error = WebSocketClosure(code, isByServer: true).error ?? RestClientError(.timeout, "")
        let expected = isTransient ? "wait 3.0 seconds" : "fail webSocketClosed"
        #expect(action(machine.failed(error, random: 0)) == expected)
    }

    @Test
    func `failures of the network are waited out, others are not`() {
        let codes: [(RestClientError.Code, Bool)] = [
            (.connectionClosed, true), (.connectionFailed, true), (.hostNotFound, true), (.timeout, true),
            (.malformedResponse, true), (.transportFailed, true), (.circuitOpen, true), (.rateLimitExceeded, true),
            (.proxyFailed, false),
            (.tlsFailed, false), (.handshakeRefused, false), (.webSocketViolated, false), (.decodingFailed, false),
            (.unknownServer, false), (.unacceptableStatus, false),
        ]
        for (code, isTransient) in codes {
            var machine = ReconnectionStateMachine(EventStreamPolicy())
            _ = machine.start()
            let expected = isTransient ? "wait 3.0 seconds" : "fail \(code)"
            #expect(action(machine.failed(RestClientError(code, ""), random: 0)) == expected)
        }
    }

    @Test
    func `a status that the policy calls transient is waited out`() {
        var policy = EventStreamPolicy()
        policy.transientStatuses = [503]
        for (status, expected) in [(503, "wait 3.0 seconds"), (500, "fail unacceptableStatus")] {
            var machine = ReconnectionStateMachine(policy)
            _ = machine.start()
            let response = RawResponse(status: .init(code: status))
            let error = RestClientError(.unacceptableStatus, "", response: response)
            #expect(action(machine.failed(error, random: 0)) == expected)
        }
    }

    @Test
    func `waits grow until a message comes, and the limit ends them`() {
        var policy = EventStreamPolicy()
        policy.backoff.first = .seconds(1)
        policy.failureLimit = 3
        var machine = ReconnectionStateMachine(policy)
        let cut = RestClientError(.connectionClosed, "")
        var actions = [action(machine.start())]
        for _ in 0..<3 {
            actions.append(action(machine.failed(cut, random: 0)))
            actions.append(action(machine.waited()))
        }
        #expect(
            actions == [
                "connect", "wait 1.0 seconds", "connect", "wait 2.0 seconds", "connect", "wait 4.0 seconds", "connect",
            ]
        )
        #expect(action(machine.opened()) == "read")
        machine.received()
        #expect(action(machine.failed(cut, random: 0)) == "wait 1.0 seconds")
        for _ in 0..<4 {
            _ = machine.waited()
            actions.append(action(machine.failed(cut, random: 0)))
        }
        #expect(actions.last == "fail connectionClosed")
    }

    @Test(arguments: [RestClientError.Code.circuitOpen, .rateLimitExceeded])
    func `refusals do not count, and last as long as they say`(code: RestClientError.Code) {
        var policy = EventStreamPolicy()
        policy.failureLimit = 1
        var machine = ReconnectionStateMachine(policy)
        _ = machine.start()

        for (time, expected) in [(nil, 3), (Duration.seconds(2), 3), (.seconds(7), 7)] {
            var error = RestClientError(code, "")
            error.refusedFor = time
            #expect(action(machine.failed(error, random: 0)) == "wait \(expected).0 seconds")
            _ = machine.waited()
        }
    }

    @Test(arguments: [RestClientError.Code.circuitOpen, .rateLimitExceeded])
    func `refusals without an end last a second, also if the policy wants no wait`(code: RestClientError.Code) {
        var policy = EventStreamPolicy()
        policy.backoff.first = .zero
        var machine = ReconnectionStateMachine(policy)
        _ = machine.start()

        for (time, expected) in [(nil, "1.0"), (Duration.zero, "1.0"), (.seconds(-5), "1.0"), (.seconds(7), "7.0")] {
            var error = RestClientError(code, "")
            error.refusedFor = time
            #expect(action(machine.failed(error, random: 0)) == "wait \(expected) seconds")
            _ = machine.waited()
        }
    }

    @Test
    func `one connection is one connection`() {
        var machine = opened(.once)
        #expect(action(machine.failed(RestClientError(.connectionClosed, ""), random: 0)) == "fail connectionClosed")
        #expect(action(machine.waited()) == "none")
        #expect(action(machine.start()) == "none")
    }
}
