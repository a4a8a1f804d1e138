// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

/// The identity of a call in its events; their order is tested by `EventOrderTests`.
@Suite
struct EventIdentityTests {
    @Test
    func `two calls at once do not mix up their identifiers`() async throws {
        let client = StubbedClient(answering: .text("1"))
        let log = EventRecorder(client.manager)
        async let first = client.manager.request(Int.self).endpoint("/a").callIdentifier("first").response()
        async let second = client.manager.request(Int.self).endpoint("/b").callIdentifier("second").response()
        for response in try await [first, second] {
            let events = log.events.filter { $0.callID == response.callID }
            #expect(
                events.map(\.line) == [
                    "callStarted", "attemptStarted 1", "attemptFinished 1 200", "modelLoaded",
                    "callSucceeded 200 network",
                ]
            )
            #expect(Set(events.compactMap { $0.request?.callIdentifier }).count == 1)
        }
    }

    @Test
    func `events name the API, the server and the template of their call`() async throws {
        let client = StubbedClient(answering: .text("1"))
        let key: APIAlias<Int> = "numbers"
        client.manager.apis[key] = API(.put, "/n/{id}")
        let log = EventRecorder(client.manager)
        _ = try await client.manager.request(key).parameter("id", 7).send()
        for event in log.events {
            #expect(event.request?.api == "numbers")
            #expect(event.request?.server == "store")
            #expect(event.request?.template == "/n/{id}")
            #expect(event.request?.method == .put)
            #expect(event.request?.url == "https://api.example.com/v1/n/7")
        }
    }
}
