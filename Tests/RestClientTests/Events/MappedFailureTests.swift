// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

@Suite
struct MappedFailureTests {
    private struct SignedOut: Error {}

    @Test(arguments: CallOptions.Level.allCases.dropFirst())
    func `a mapped failure keeps its class, and the original is within reach`(level: CallOptions.Level) async throws {
        let key = APIAlias<Void>("a")
        let client = StubbedClient(answering: .status(.unauthorized))
        let log = EventRecorder(client.manager)
        client.manager.apis[key] = API(.get, "/a")
        var node = client.manager.request(key)
        switch level {
        case .call: node = node.mapError { _ in SignedOut() }
        case .api: client.manager.apis[key] = API(.get, "/a").mapError { _ in SignedOut() }
        case .server:
            client.manager.servers["store"] = Server("https://api.example.com").mapError { _ in SignedOut() }
        default: client.manager.updateOptions { $0.mapError { _ in SignedOut() } }
        }
        await #expect(throws: SignedOut.self) { try await node.send() }
        let event = try #require(log.events.last)
        #expect(event.failureClass == .unauthorized)
        #expect(event.cause?.status == .unauthorized)
    }
}
