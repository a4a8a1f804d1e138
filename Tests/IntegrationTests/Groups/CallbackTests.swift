// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Calls that are started from code that is not async.
@Suite(.timeLimit(.minutes(5)))
struct CallbackTests {
    @Test
    func `a response calls the handler for responses, once`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("hello") }
            let calls = Recorder<String>()
            let call = client.request(String.self, .get, "/")
                .onSuccess { response in calls.record("success \(response.model)") }
                .onError { error in calls.record("error \(error)") }
                .resume()
            await call.finished()
            call.cancel()
            #expect(calls.elements == ["success hello"])
        }
    }

    @Test
    func `a failure calls the handler for errors, once`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(503) }
            let calls = Recorder<FailureClass?>()
            await client.request(.get, "/")
                .onSuccess { _ in Issue.record("a 503 is no success") }
                .onError { error in calls.record((error as? RestClientError)?.failureClass) }
                .resume()
                .finished()
            #expect(calls.elements == [.serverUnavailable])
        }
    }

    @Test
    func `cancelling reaches the wire and calls back once`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .never }
            let calls = Recorder<Bool>()
            let call = client.request(.get, "/")
                .resume { result in
                    if case .failure(let error) = result {
                        calls.record(error is CancellationError)
                    } else {
                        calls.record(false)
                    }
                }
            try await client.server.waitForRequests()
            call.cancel()
            call.cancel()
            try await client.server.waitForEvent(.aborted(request: 1))
            await call.finished()
            #expect(calls.elements == [true])
        }
    }

    @Test
    func `a call goes on when nobody keeps it`() async throws {
        try await LoopbackClient.with { client in
            let gate = Gate()
            client.server.onAny { _ in LoopbackResponse.text("late").after(gate) }
            let calls = Recorder<String>()
            client.request(String.self, .get, "/").onSuccess { response in calls.record(response.model) }.resume()
            try await client.server.waitForRequests()
            gate.open()
            #expect(try await calls.waitForCount(1) == ["late"])
        }
    }

    @Test
    func `many calls call back once each`() async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/{id}") { request in
                request.number.isMultiple(of: 3) ? .status(500) : .text(request.parameters["id"] ?? "")
            }
            let calls = Recorder<Int>()
            for id in 0..<60 {
                client.request(.get, "/{id}").parameter("id", id).resume { _ in calls.record(id) }
            }
            let called = try await calls.waitForCount(60)
            #expect(called.sorted() == Array(0..<60))
        }
    }
}
