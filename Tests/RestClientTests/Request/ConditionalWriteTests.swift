// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClient

/// Writes that do not overwrite what others have written.
@Suite(.timeLimit(.minutes(5)))
struct ConditionalWriteTests {
    private struct Order: Codable, Equatable, Sendable {
        var state: String
        var note: String?
    }

    private struct Refused: Error {}

    /// A resource with an entity tag for each version, which others may change before a write.
    private final class Resource: Sendable {
        private struct State {
            var version = 1
            var body: String
            /// The number of writes that others precede.
            var rivals: Int
        }

        private let state: Mutex<State>

        init(_ body: String, rivals: Int = 0) {
            state = Mutex(State(body: body, rivals: rivals))
        }

        var body: String { state.withLock { $0.body } }

        func respond(to request: TransportRequest) -> RawResponse {
            state.withLock { state in
                if request.method == .put {
                    if state.rivals > 0 {
                        state.rivals -= 1
                        state.version += 1
                        state.body = state.body.replacing("open", with: "open\(state.version)")
                    }
                    let tag = "\"\(state.version)\""
                    guard request.headers[.ifMatch] == tag else {
                        return .status(.preconditionFailed, headers: [.eTag: tag])
                    }
                    state.version += 1
                    state.body = request.bodyText ?? ""
                    return .status(.noContent, headers: [.eTag: "\"\(state.version)\""])
                }
                return .text(
                    state.body,
                    headers: [.eTag: "\"\(state.version)\"", .contentType: "application/json"]
                )
            }
        }
    }

    private static func client(_ resource: Resource) -> StubbedClient {
        StubbedClient(StubTransport { resource.respond(to: $0) })
    }

    private static let open = #"{"id": 7, "lines": [{"price": 1.10}], "note": "a", "state": "open"}"#

    // MARK: - Conditions

    @Test
    func `the tag of a response is the condition of a write, as the server wrote it`() async throws {
        let client = StubbedClient(answering: .text("", headers: [.eTag: "\"a b\""]))
        let read = try await client.manager.request(Void.self).endpoint("/a").response()

        let sent = try await client.sent { $0.put().endpoint("/a").createOnly().ifMatch(read) }

        #expect(read.entityTag == "\"a b\"")
        #expect(sent.headers[.ifMatch] == "\"a b\"")
        #expect(!sent.headers.contains(.ifNoneMatch))
    }

    @Test(arguments: [nil, "W/\"a\"", "w/\"a\"", ""])
    func `a response without a strong tag is an error, and nothing is sent`(tag: String?) async throws {
        var headers: HTTPFields = [:]
        headers[.eTag] = tag
        let client = StubbedClient(answering: .text("", headers: headers))
        let read = try await client.manager.request(Void.self).endpoint("/a").response()

        let error = await client.failure { $0.put().endpoint("/a").ifMatch(read) }

        #expect(error?.code == .validatorMissing)
        #expect(client.requests.count == 1)
    }

    private static let modified = "Wed, 21 Oct 2026 07:28:00 GMT"

    @Test(
        arguments: [
            ([.lastModified: modified, .date: "Wed, 21 Oct 2026 07:29:00 GMT"], true),
            ([.lastModified: modified, .date: "Wed, 21 Oct 2026 07:28:59 GMT"], false),
            ([.lastModified: modified], false), ([.lastModified: "yesterday", .date: modified], false),
            // It says that states differ which the date cannot tell apart.
            ([.lastModified: modified, .date: "Thu, 22 Oct 2026 07:28:00 GMT", .eTag: "W/\"a\""], false),
        ] as [(HTTPFields, Bool)]
    )
    func `RFC 9110, 13.1.4: without a tag, the time of the last modification is the condition, if it is strong`(
        headers: HTTPFields,
        isStrong: Bool
    ) async throws {
        let client = StubbedClient(answering: .text("", headers: headers))
        let read = try await client.manager.request(Void.self).endpoint("/a").response()

        guard isStrong else {
            #expect(await client.failure { $0.put().endpoint("/a").ifMatch(read) }?.code == .validatorMissing)
            #expect(client.requests.count == 1)
            return
        }
        let sent = try await client.sent { $0.put().endpoint("/a").ifMatch("\"a\"").ifMatch(read) }
        #expect(sent.headers[.ifUnmodifiedSince] == Self.modified)
        #expect(!sent.headers.contains(.ifMatch))
        let other = try await client.sent { $0.put().endpoint("/a").ifMatch(read).ifMatch("\"a\"") }
        #expect(other.headers[.ifMatch] == "\"a\"")
        #expect(!other.headers.contains(.ifUnmodifiedSince))
    }

    @Test(arguments: [("\"a\"", true), ("a", true), ("*", true), ("W/\"a\"", false), ("", false), (" ", false)])
    func `a tag of one's own must be strong`(tag: String, isTag: Bool) async throws {
        let client = StubbedClient()

        if isTag {
            #expect(try await client.sent { $0.put().endpoint("/a").ifMatch(tag) }.headers[.ifMatch] == tag)
        } else {
            let error = await client.failure { $0.put().endpoint("/a").ifMatch(tag) }
            #expect(error?.code == .validatorMissing)
            #expect(client.requests.isEmpty)
        }
    }

    @Test
    func `a tag with a line break is an error, and nothing is sent`() async {
        let client = StubbedClient()

        let error = await client.failure { $0.put().endpoint("/a").ifMatch("\"a\r\nX: y\"") }

        #expect(error?.code == .invalidHeader)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `a resource is only created`() async throws {
        let sent = try await sent { $0.put().endpoint("/a").ifMatch("\"a\"").createOnly() }

        #expect(sent.headers[.ifNoneMatch] == "*")
        #expect(!sent.headers.contains(.ifMatch))
    }

    @Test
    func `an error says that others were faster, and has their tag`() async throws {
        let client = StubbedClient(answering: .status(.preconditionFailed, headers: [.eTag: "\"2\""]))

        let error = await client.failure {
            $0.put().endpoint("/a").ifMatch("\"1\"").errorTexts([.preconditionFailed: "Others were faster."])
        }

        #expect(error?.code == .preconditionFailed)
        #expect(error?.entityTag == "\"2\"")
        #expect(error?.failureClass == .status)
        #expect(error?.message == "Others were faster.")
    }

    /// A policy that makes two attempts without a wait.
    private static var twice: RetryPolicy {
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        return policy
    }

    @Test(arguments: [false, true])
    func `a write that may have succeeded is not repeated, because its success would refuse it`(
        hasKey: Bool
    ) async throws {
        let client = StubbedClient(answering: .status(.internalServerError))

        _ = await client.failure {
            $0.put().endpoint("/a").ifMatch("\"1\"").retry(Self.twice).idempotencyKey(hasKey ? .perCall : nil)
        }

        #expect(client.requests.count == (hasKey ? 2 : 1))
        // Transports repeat a request on a connection that had been closed by the same rule.
        #expect(client.requests.allSatisfy { $0.repetition.isIdempotent == hasKey })
    }

    // MARK: - Read, change, write

    @Test
    func `an update writes what it changed, and keeps what the model does not know`() async throws {
        let resource = Resource(Self.open)
        let client = Self.client(resource)
        let node = client.manager.request(Order.self).endpoint("/orders/{id}").parameter("id", 7).query(["v": 2])
            .accepting([.ok])

        let written = try await node.update { order in
            order.state = "paid"
            order.note = nil
        }

        #expect(written.model == Order(state: "paid", note: nil))
        #expect(written.entityTag == "\"2\"")
        #expect(client.requests.map(\.method) == [.get, .put])
        #expect(Set(client.requests.map(\.url)) == ["https://api.example.com/v1/orders/7?v=2"])
        #expect(client.requests.last?.headers[.contentType] == "application/json")
        #expect(resource.body == #"{"id":7,"lines":[{"price":1.10}],"state":"paid"}"#)
    }

    @Test
    func `a change of others is not undone`() async throws {
        let resource = Resource(Self.open, rivals: 2)
        let client = Self.client(resource)
        let seen = Recorder<String>()

        let written = try await client.manager.request(Order.self).endpoint("/a")
            .update { order in
                seen.record(order.state)
                order.note = "\(order.state)!"
            }

        #expect(seen.elements == ["open", "open2", "open32"])
        #expect(written.model == Order(state: "open32", note: "open32!"))
        #expect(client.requests.map(\.method) == [.get, .put, .get, .put, .get, .put])
    }

    @Test(arguments: [-1, 1, 2])
    func `it gives up after a number of writes`(attempts: Int) async throws {
        let client = Self.client(Resource(Self.open, rivals: 9))

        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.request(Order.self).endpoint("/a").update(attempts: attempts) { $0.note = "b" }
        }

        #expect(error?.code == .preconditionFailed)
        #expect(client.requests.count { $0.method == .put } == max(1, attempts))
    }

    @Test
    func `nothing is written if nothing changes, or if the change fails`() async throws {
        let client = Self.client(Resource(Self.open))
        let node = client.manager.request(Order.self).endpoint("/a")

        #expect(try await node.update { $0.state = "open" }.entityTag == "\"1\"")
        await #expect(throws: Refused.self) { try await node.update { _ in throw Refused() } }

        #expect(client.requests.map(\.method) == [.get, .get])
    }

    @Test
    func `a write whose response is lost is not repeated`() async throws {
        let client = StubbedClient(
            answering: .text(Self.open, headers: [.eTag: "\"1\""]),
            .status(.internalServerError)
        )

        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.request(Order.self).endpoint("/a").retry(Self.twice)
                .fallback(.value(Order(state: "other", note: nil)))
                .update { $0.note = "b" }
        }

        #expect(error?.status == .internalServerError)
        #expect(client.requests.map(\.method) == [.get, .put])
    }

    @Test
    func `without a strong tag nothing is written`() async throws {
        let client = StubbedClient(answering: .text(Self.open, headers: [.eTag: "W/\"1\""]))

        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.request(Order.self).endpoint("/a").update { $0.note = "b" }
        }

        #expect(error?.code == .validatorMissing)
        #expect(client.requests.map(\.method) == [.get])
    }

    @Test
    func `what cannot be written back is not read either`() async throws {
        let client = StubbedClient()
        let node = client.manager.request(Order.self).endpoint("/a")

        for wrong in [node.post(), node.values(["a": 1]), node.body(["a": 1])] {
            let error = await #expect(throws: RestClientError.self) { try await wrong.update { $0.note = "b" } }
            #expect(error?.code == .validatorMissing)
        }

        #expect(client.requests.isEmpty)
    }

    @Test
    func `the cache learns of the new state, also of that of others`() async throws {
        let resource = Resource(Self.open)
        let client = Self.client(resource)
        let node = client.manager.request(Order.self).endpoint("/a").cache(.elseNetwork(maxAge: .seconds(3_600)))
        #expect(try await node.send().state == "open")
        // Another program writes, and the stored response is outdated.
        _ = resource.respond(
            to: try await sent { $0.put().endpoint("/a").body(["state": "taken"]).ifMatch("\"1\"") }
        )

        let written = try await node.update { $0.note = "b" }

        #expect(written.model == Order(state: "taken", note: "b"))
        #expect(try await node.response().source == .network)
        #expect(try await node.send() == Order(state: "taken", note: "b"))
    }

    @Test
    func `a read after an update needs only the server's confirmation of what it has written`() async throws {
        let body = Mutex(Self.open)
        let client = StubbedClient(
            StubTransport { request in
                if request.method == .put {
                    body.withLock { $0 = request.bodyText ?? "" }
                    return .text(
                        body.withLock { $0 },
                        .ok,
                        headers: [.eTag: "\"2\"", .contentLocation: "/v1/a", .contentType: "application/json"]
                    )
                }
                guard request.headers[.ifNoneMatch] != "\"2\"" else {
                    return .status(.notModified, headers: [.eTag: "\"2\""])
                }
                return .text(Self.open, headers: [.eTag: "\"1\"", .contentType: "application/json"])
            }
        )
        let node = client.manager.request(Order.self).endpoint("/a").cache(.http)

        try await node.update { $0.state = "paid" }
        let read = try await node.response()

        #expect(read.source == .revalidatedCache)
        #expect(read.model.state == "paid")
        #expect(client.requests.map(\.method) == [.get, .put, .get])
    }

    @Test
    func `bytes and texts are written as they are`() async throws {
        let resource = Resource("one")
        let client = StubbedClient(
            StubTransport { request in
                var response = resource.respond(to: request)
                response.headers[.contentType] = "text/plain"
                return response
            }
        )

        try await client.manager.request(String.self).endpoint("/a").update { $0 += " two" }
        #expect(resource.body == "one two")
        #expect(client.requests.last?.headers[.contentType] == "text/plain; charset=utf-8")
        try await client.manager.request(Data.self).endpoint("/a").update { $0.append(contentsOf: Data(" three".utf8)) }
        #expect(resource.body == "one two three")
    }
}
