// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Requests that are declared to be harmless to repeat, whatever their method.
@Suite(.timeLimit(.minutes(5)))
struct IdempotentCallTests {
    /// The level at which a call is declared idempotent.
    enum Level: CaseIterable {
        case none, manager, server, api, node, revoked
    }

    private static let search = APIAlias<String>("search")

    private let requests = Recorder<TransportRequest>()

    /// A manager whose server fails.
    private func manager(_ level: Level) -> RestClientManager {
        let transport = StubTransport { [requests] request in
            requests.record(request)
            return .status(.internalServerError)
        }
        let manager = StubbedClient(transport).manager
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        manager.options = manager.options.retry(policy)
        if level == .manager || level == .revoked {
            manager.options = manager.options.idempotent()
        }
        let server: Server = "https://api.example.com"
        manager.servers["api"] = level == .server ? server.idempotent() : server
        let api = API(.post, "/search", server: "api")
        manager.apis[Self.search] = level == .api ? api.idempotent() : api
        return manager
    }

    @Test(arguments: Level.allCases)
    func `it is said at any level, and the nearest one wins`(level: Level) async throws {
        var call = manager(level).request(Self.search)
        if level == .node {
            call = call.idempotent()
        }
        if level == .revoked {
            call = call.idempotent(false)
        }

        await #expect(throws: RestClientError.self) { try await call.send() }

        let isRepeated = level != .none && level != .revoked
        #expect(requests.count == (isRepeated ? 2 : 1))
        // Transports repeat a request on a connection that had been closed by the same rule.
        #expect(requests.elements.allSatisfy { $0.repetition.isIdempotent == isRepeated })
    }

    @Test(arguments: [HTTPRequest.Method.get, .put, .delete, .post, .patch])
    func `a method that is idempotent stays so`(method: HTTPRequest.Method) {
        let revoked = CallOptions().idempotent(false)

        #expect(revoked.isUnsafe(method) == [.post, .patch].contains(method))
        #expect(!CallOptions().idempotent().isUnsafe(method))
    }
}
