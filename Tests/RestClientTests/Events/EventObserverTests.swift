// SPDX-License-Identifier: MIT

import Dispatch
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct EventObserverTests {
    private let client = StubbedClient(answering: .text("1"))
    private let recorder = Recorder<String>()
    private var manager: RestClientManager { client.manager }

    @Test
    func `a function can be the handler, named as it is`() {
        @Sendable func note(_ event: ClientEvent) { recorder.record(event.line) }
        let observation = manager.observe(.all, note)
        manager.emit("mine")
        observation.cancel()
        #expect(recorder.elements == ["custom mine"])
    }

    // MARK: - Owners

    // MARK: - The main actor

    @Test
    @MainActor
    func `an observer on the main actor is called there, in order, and no call waits for it`() async throws {
        let recorder = recorder
        let observation = manager.observe(onMainActor: { event in
            MainActor.assertIsolated()
            recorder.record(event.line)
        })
        for number in 0..<100 {
            manager.emit("\(number)")
        }
        #expect(recorder.count == 0, "this test still holds the main actor")
        try await recorder.waitForCount(100)
        #expect(recorder.elements == (0..<100).map { "custom \($0)" })
        observation.cancel()
    }

    @Test
    @MainActor
    func `an observer on the main actor is not called after it is cancelled there`() async throws {
        let recorder = recorder
        let cancelled = manager.observe(onMainActor: { recorder.record("cancelled \($0.line)") })
        let kept = manager.observe(onMainActor: { recorder.record("kept \($0.line)") })
        manager.emit("1")
        cancelled.cancel()
        try await recorder.waitForCount(1)
        #expect(recorder.elements == ["kept custom 1"])
        kept.cancel()
        #expect(!manager.core.hub.isObserved)
    }

    // MARK: - Filters

    @Test
    func `a filter lets pass what meets all its conditions`() async throws {
        let manager = manager
        let (orders, users): (APIAlias<Int>, APIAlias<Int>) = ("orders", "users")
        manager.apis[orders] = API(.get, "/orders")
        manager.apis[users] = API(.get, "/users")
        let recorder = recorder
        let filter = EventFilter.callEnds.api(orders).callIdentifier("a").callIdentifier("b")
        let observation = manager.observe(filter) { recorder.record("\($0.request?.callIdentifier ?? "") \($0.line)") }

        for identifier in ["a", "b", "c"] {
            _ = try await manager.request(orders).callIdentifier(identifier).send()
        }
        _ = try await manager.request(users).callIdentifier("a").send()
        manager.emit("custom")

        #expect(recorder.elements == ["a callSucceeded 200 network", "b callSucceeded 200 network"])
        observation.cancel()
    }

    @Test(arguments: [
        (EventFilter.all, true), (.names(.callStarted, .custom), true), (.names(.callStarted), false),
        (.names(), false), (.all.api("orders" as APIAlias<Int>), false), (.all.callIdentifier("a"), false),
    ])
    func `an event of no call passes filters that ask for none`(filter: EventFilter, passes: Bool) {
        #expect(filter.matches(ClientEvent(.custom(identifier: "a", payload: [:]))) == passes)
    }

    // MARK: - Observers that misbehave

    @Test
    func `an observation whose token is thrown away ends at once`() {
        let recorder = recorder
        _ = manager.observe { recorder.record($0.line) }
        manager.emit("unheard")
        #expect(recorder.elements.isEmpty)
        #expect(!manager.core.hub.isObserved)
    }

    @Test
    func `a blocking observer delays the emitting call, and no other`() async throws {
        let (manager, recorder, blocked, release) = (manager, recorder, Gate(), DispatchSemaphore(value: 0))
        let observation = manager.observe { event in
            if case .custom = event.kind {
                blocked.open()
                release.wait()
            }
            recorder.record("\(event.request?.callIdentifier ?? "-") \(event.kind.name)")
        }
        // A thread of its own: it blocks for real.
        DispatchQueue(label: "blocked").async { manager.emit("blocks") }
        try await blocked.wait()

        // More events than the blocked thread delivers by itself afterwards.
        for number in 0..<30 {
            #expect(try await manager.request(Int.self).endpoint("/a").callIdentifier("\(number)").send() == 1)
        }
        #expect(recorder.count == 0)
        release.signal()

        try await recorder.waitForCount(151)
        let names = ["callStarted", "attemptStarted", "attemptFinished", "modelLoaded", "callSucceeded"]
        let calls = (0..<30).flatMap { number in names.map { "\(number) \($0)" } }
        #expect(recorder.elements == ["- custom"] + calls)
        observation.cancel()
    }

    @Test
    func `an observer may send calls, change the manager, and end itself`() async throws {
        let (manager, recorder, itself) = (manager, recorder, Recorder<ObservationToken>())
        let observation = manager.observe(.callEnds) { event in
            recorder.record(event.line)
            if recorder.count == 1 {
                manager.servers["other"] = "https://other.example.com"
                manager.request(Int.self).server("other").endpoint("/b").resume()
            } else {
                itself.elements.first?.cancel()
            }
        }
        itself.record(observation)
        _ = try await manager.request(Int.self).endpoint("/a").send()
        try await recorder.waitForCount(2)
        _ = try await manager.request(Int.self).endpoint("/c").send()
        #expect(recorder.elements == ["callSucceeded 200 network", "callSucceeded 200 network"])
        #expect(client.requests.map(\.url).contains("https://other.example.com/b"))
    }

    // MARK: - Failures

    @Test(
        arguments: [
            (RestClientError(.invalidURL, ""), FailureClass.internal),
            (RestClientError(.decodingFailed, ""), .internal),
            (RestClientError(.connectionFailed, ""), .network), (RestClientError(.timeout, ""), .timeout),
            (RestClientError(.unacceptableStatus, "", response: .status(.unauthorized)), .unauthorized),
            (RestClientError(.unacceptableStatus, "", response: .status(.serviceUnavailable)), .serverUnavailable),
            (RestClientError(.unacceptableStatus, "", response: .status(.notFound)), .status),
            (CancellationError(), .cancelled), (OwnError(), .internal),
        ] as [(any Error, FailureClass)]
    )
    func `failures are distinguished by class`(error: any Error, expected: FailureClass) {
        #expect(ClientEvent(.callFailed(error)).failureClass == expected)
        #expect(ClientEvent(.attemptFailed(number: 1, error)).failureClass == expected)
        #expect(ClientEvent(.localJobFailed(name: "", error)).failureClass == expected)
    }

    @Test
    func `an event that is not a failure has no class`() {
        #expect(ClientEvent(.callCancelled).failureClass == .cancelled)
        #expect(ClientEvent(.localJobCancelled(name: "")).failureClass == .cancelled)
        #expect(ClientEvent(.callStarted).failureClass == nil)
        #expect(ClientEvent(.notModified).failureClass == nil)
    }

    private struct OwnError: Error {}
}
