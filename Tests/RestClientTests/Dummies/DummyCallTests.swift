// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Calls that dummies respond to behave like calls to servers.
@Suite(.timeLimit(.minutes(5)))
struct DummyCallTests {
    private struct Order: Codable, Sendable, Equatable {
        var id: Int
        var placed = Date(timeIntervalSince1970: 0)
    }

    private let client = StubbedClient()
    private var manager: RestClientManager { client.manager }

    init() {
        client.manager.dummies.mode = .strict
    }

    @Test
    func `a dummy sees what would have gone over the wire`() async throws {
        manager.options = manager.options.header(.userAgent, "test/1")
        manager.dummies.register(.post, "/users/{user}/orders") { request in
            #expect(request.method == .post)
            #expect(request.url == "https://api.example.com/v1/users/a%2Fb/orders?q=x%20y%26&q=2&empty=")
            #expect(request.headers[.userAgent] == "test/1")
            #expect(request.headers[.authorization] == "Bearer t")
            #expect(request.parameters == ["user": "a/b"])
            #expect(request.query.map(\.name) == ["q", "q", "empty"])
            #expect(request.query.map(\.value) == ["x y&", "2", ""])
            return .json(try request.model([String: Int].self), status: .created)
        }
        let node = manager.request([String: Int].self).post().endpoint("/users/{user}/orders")
            .parameter("user", "a/b").query(["q": "x y&", "q": 2, "empty": ""]).values(["id": 7]).bearer("t")
        let response = try await node.response()
        #expect(response.model == ["id": 7])
        #expect(response.status == .created)
        #expect(response.headers[.contentType] == "application/json")
        #expect(client.requests.isEmpty)
    }

    @Test
    func `a model is preserved`() async throws {
        manager.dummies.register(.get, "/order") { _ in .json(Order(id: 1)) }
        #expect(try await manager.request(Order.self).endpoint("/order").send() == Order(id: 1))
    }

    @Test
    func `a dummy can respond with text, a status and bytes`() async throws {
        manager.dummies.register(.get, "/text") { _ in .text("grüße") }
        manager.dummies.register(.get, "/status") { _ in .status(.noContent, headers: [.eTag: "x"]) }
        manager.dummies.register(.get, "/bytes") { _ in .bytes([1, 2]) }
        #expect(try await manager.request(String.self).endpoint("/text").send() == "grüße")
        let response = try await manager.request(Void.self).endpoint("/status").response()
        #expect(response.status == .noContent)
        #expect(response.headers[.eTag] == "x")
        #expect(try await manager.request().endpoint("/bytes").send() == Data([1, 2]))
    }

    @Test
    func `a response that cannot have a body has none`() async throws {
        manager.dummies.register(nil, "/head") { _ in .text("four", headers: [.contentLength: "4"]) }
        manager.dummies.register(.get, "/gone") { _ in .text("four", status: .noContent) }
        let head = try await manager.request().method(.head).endpoint("/head").response()
        #expect(head.model.isEmpty)
        #expect(head.headers[.contentLength] == "4")
        #expect(try await manager.request().endpoint("/head").send() == Data("four".utf8))
        #expect(try await manager.request().endpoint("/gone").send().isEmpty)
    }

    @Test(arguments: [HTTPResponse.Status.unauthorized, .notFound, .internalServerError, .notModified])
    func `a refused status is a failure like any other`(status: HTTPResponse.Status) async {
        manager.dummies.register(.get, "/a") { _ in .text("why", status: status) }
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(String.self).endpoint("/a").send()
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.status == status)
        #expect(error?.response?.body == (status == .notModified ? Data() : Data("why".utf8)))
        #expect(error?.response?.source == .dummy)
        #expect(error?.attempts == 1)
    }

    @Test
    func `a body that does not decode is a failure like any other`() async {
        manager.dummies.register(.get, "/a") { _ in .text("no order") }
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(Order.self).endpoint("/a").send()
        }
        #expect(error?.code == .decodingFailed)
    }

    @Test
    func `a body over the limit is refused`() async {
        manager.dummies.register(.get, "/a") { _ in .text("12345") }
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(String.self).endpoint("/a").limits(body: 4).send()
        }
        #expect(error?.code == .responseTooLarge)
    }

    @Test
    func `an error of the library that a dummy throws ends the call as it is`() async {
        manager.dummies.register(.get, "/b") { _ in throw RestClientError(.hostNotFound, "no such host") }
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(Void.self).endpoint("/b").send()
        }
        #expect(error?.code == .hostNotFound)
        #expect(error?.request?.url == "https://api.example.com/v1/b")
    }

    @Test
    func `any other error that a dummy throws is the dummy's failure`() async {
        struct Unplugged: Error {}
        manager.dummies.register(.get, "/a") { _ in throw Unplugged() }
        manager.dummies.register(.get, "/b") { _ in throw CancellationError() }
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .dummyFailed)
        #expect(error?.message == "the dummy 'GET /a' gave no response to its call number 1: it threw")
        #expect(error?.underlying is Unplugged)
        #expect(error?.request?.url == "https://api.example.com/v1/a")
        #expect(await client.failure { $0.endpoint("/b") }?.code == .dummyFailed)
    }

    @Test
    func `a body that does not decode where a dummy wants a model is the dummy's failure`() async throws {
        manager.dummies.register(
            Dummy(.post, "/orders")
                .responds { request in
                    let order = try request.model(Order.self)
                    return .json(["id": order.id], status: .created, headers: [.eTag: request.headers[.ifMatch] ?? ""])
                }
        )
        let node = manager.request([String: Int].self).post().endpoint("/orders").header(.ifMatch, "v1")
        let response = try await node.body(Order(id: 7)).response()
        #expect(response.model == ["id": 7])
        #expect(response.headers[.eTag] == "v1")
        let error = await #expect(throws: RestClientError.self) {
            try await node.values(["id": "seven"]).send()
        }
        #expect(error?.code == .dummyFailed)
        #expect(error?.message.contains("'POST /orders' gave no response to its call number 2") == true)
        #expect(error?.message.contains("id") == true)
    }

    @Test
    func `a model that cannot be encoded, and a file that is not there, are the dummy's failure`() async {
        manager.dummies.register(Dummy(.get, "/nan").responds(.json(["x": Double.nan])))
        manager.dummies.register(Dummy(.get, "/file").responds(.file("no/such/file.json")))
        let model = await client.failure { $0.endpoint("/nan") }
        #expect(model?.code == .dummyFailed)
        #expect(model?.message == "JSONValue cannot be encoded as a dummy's body")
        let file = await client.failure { $0.endpoint("/file") }
        #expect(file?.code == .dummyFailed)
        #expect(file?.message.contains("no/such/file.json' of a dummy cannot be read") == true)
    }

    @Test
    func `a file is sent with its media type`() async throws {
        let directory = try TemporaryDirectory()
        let url = directory.path("dummy.json")
        try Data(#"{"id":7}"#.utf8).write(to: url)
        manager.dummies.register(Dummy(.get, "/file").responds(.file(url.path)))
        manager.dummies.register(Dummy(.get, "/path").responds(.file(url.path, headers: [.contentType: "text/x"])))
        let response = try await manager.request([String: Int].self).endpoint("/file").response()
        #expect(response.model == ["id": 7])
        #expect(response.headers[.contentType] == "application/json")
        #expect(try await manager.request().endpoint("/path").response().headers[.contentType] == "text/x")
    }

    @Test
    func `redirects are followed from dummy to dummy`() async throws {
        manager.servers["other"] = "other.example"
        manager.dummies.register(.get, "/a") { _ in .status(.found, headers: [.location: "/v1/b"]) }
        manager.dummies.register(.get, "/b") { _ in
            .status(.movedPermanently, headers: [.location: "https://other.example/c"])
        }
        manager.dummies.register(.get, "/c", server: "other") { request in
            .text(request.headers.contains(.authorization) ? "leaked" : "there")
        }
        let response = try await manager.request(String.self).endpoint("/a").bearer("t").response()
        #expect(response.model == "there")
        #expect(response.raw.url == "https://other.example/c")
    }

    @Test
    func `a redirect may lead from a dummy to the network`() async throws {
        manager.dummies.mode = .matched
        manager.dummies.register(.get, "/a") { _ in .status(.found, headers: [.location: "/v1/b"]) }
        #expect(try await manager.request(Void.self).endpoint("/a").response().source == .network)
        #expect(client.requests.map(\.url) == ["https://api.example.com/v1/b"])
    }

    @Test
    func `the cache stores a dummy's responses`() async throws {
        let dummy = manager.dummies.register(.get, "/a") { request in
            request.headers.contains(.ifNoneMatch)
                ? .status(.notModified)
                : .text("stored", headers: [.eTag: "v1"])
        }
        let node = manager.request(String.self).endpoint("/a").cache(.elseNetwork())
        #expect(try await node.response().source == .dummy)
        #expect(try await node.response().source.isCache)
        #expect(dummy.callCount == 1)
    }

    @Test
    func `groups run against dummies`() async {
        manager.dummies.register(.get, "/{id}") { request in .text(request.parameters["id"] ?? "") }
        manager.dummies.register(.get, "/bad") { _ in .status(.badGateway) }
        let report = await manager.concurrently(
            ["a", "bad", "c"].map { RequestNode(String.self).endpoint("/{id}").parameter("id", $0) }
        )
        #expect(report.values == ["a", "c"])
        #expect((report[1].error as? RestClientError)?.status == .badGateway)
    }

    @Test
    func `the events of a call are those of a call to a server, and name the dummy`() async throws {
        let dummy = manager.dummies.register(.get, "/a") { _ in .status(.ok) }
        let log = EventRecorder(manager)
        try await manager.request(Void.self).endpoint("/a").send()
        _ = try? await manager.request(Void.self).endpoint("/b").send()
        #expect(
            log.lines == [
                "callStarted", "attemptStarted 1", "dummyMatched", "attemptFinished 1 200", "modelLoaded",
                "callSucceeded 200 dummy",
                "callStarted", "attemptStarted 1", "dummyUnmatched", "attemptFailed 1 dummyNotFound",
                "callFailed dummyNotFound",
            ]
        )
        let matched = log.events.compactMap { event in
            if case .dummyMatched(let id) = event.kind { id } else { nil }
        }
        #expect(matched == [dummy.id])
    }

    // MARK: - Time

    @Test
    func `a dummy responds after its delay, and not before`() async throws {
        let clock = ManualClock()
        let client = StubbedClient { $0.clock = clock }
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.get, "/a", delay: .milliseconds(80)) { _ in .text("late") }
        let call = Task {
            try await client.manager.request(String.self).endpoint("/a").timeout(.seconds(10)).response()
        }
        // The delay, and the limit of the call.
        try await clock.waitForSleepers(count: 2)
        #expect(clock.deadlines.first?.offset == .milliseconds(80))
        clock.advance(by: .milliseconds(80))
        let response = try await call.value
        #expect(response.model == "late")
        #expect(response.duration == .milliseconds(80))
        #expect(clock.deadlines.isEmpty)
    }

    @Test
    func `a delay beyond the limit of the call is a timeout`() async throws {
        let clock = ManualClock()
        let client = StubbedClient { $0.clock = clock }
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.get, "/a", delay: .seconds(80)) { _ in
            Issue.record("a dummy answered a call that had ended")
            return .status(.ok)
        }
        let call = Task { await client.failure { $0.endpoint("/a").timeout(.seconds(10)) } }
        try await clock.waitForSleepers(count: 2)
        clock.advance(by: .seconds(10))
        #expect(await call.value?.code == .timeout)
        #expect(clock.deadlines.isEmpty)
    }

    @Test
    func `a dummy that never responds and ignores cancellation ends at the deadline of the call`() async throws {
        let clock = ManualClock()
        let client = StubbedClient { $0.clock = clock }
        let gate = Gate()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.get, "/a") { _ in
            await Task { try? await gate.wait() }.value
            return .status(.ok)
        }
        let call = Task { await client.failure { $0.endpoint("/a").timeout(.seconds(10)) } }
        try await gate.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(10))
        #expect(await call.value?.code == .timeout)
        #expect(client.manager.workers.runningCount == 0)
        gate.open()
    }

    @Test
    func `a call is cancelled although its dummy ignores cancellation`() async throws {
        let gate = Gate()
        manager.dummies.register(.get, "/a") { _ in
            await Task { try? await gate.wait() }.value
            return .status(.ok)
        }
        let call = Task { try await manager.request(Void.self).endpoint("/a").send() }
        try await gate.waitForWaiters(count: 1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        gate.open()
    }

    @Test
    func `a call that is cancelled during the delay is cancelled`() async throws {
        let clock = ManualClock()
        let client = StubbedClient { $0.clock = clock }
        client.manager.dummies.mode = .strict
        let dummy = client.manager.dummies.register(.get, "/a", delay: .seconds(80)) { _ in .status(.ok) }
        let call = Task { try await client.manager.request(Void.self).endpoint("/a").send() }
        try await clock.waitForSleepers(count: 2)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(dummy.callCount == 1)
        #expect(client.manager.workers.runningCount == 0)
    }

    @Test
    func `a dummy takes a worker slot like a server`() async throws {
        let gate = Gate()
        manager.workers.size = 1
        manager.dummies.register(.get, "/a") { _ in
            try await gate.wait()
            return .status(.ok)
        }
        let calls = (0..<3)
            .map { _ in
                Task { [manager] in try await manager.request(Void.self).endpoint("/a").send() }
            }
        try await gate.waitForWaiters(count: 1)
        #expect(manager.workers.runningCount == 1)
        #expect(gate.waiterCount == 1)
        gate.open()
        for call in calls {
            try await call.value
        }
    }

    // MARK: - Dogmas

    private struct Visit: Codable, Sendable, Equatable {
        var lastSeen: Int
    }

    private func registerSnakeCase() {
        manager.dogmas["snake"] = JSONDogma(
            configureEncoder: { $0.keyEncodingStrategy = .convertToSnakeCase },
            configureDecoder: { $0.keyDecodingStrategy = .convertFromSnakeCase }
        )
    }

    @Test
    func `a typed dummy responds in the form that its API's dogma decodes`() async throws {
        registerSnakeCase()
        let key = APIAlias<Visit>("visit")
        manager.apis[key] = API(.get, "/visit").dogma("snake")
        manager.dummies.register(Dummy(key, responding: Visit(lastSeen: 7)))
        let response = try await manager.request(key).response()
        #expect(response.model == Visit(lastSeen: 7))
        #expect(response.raw.body == Data(#"{"last_seen":7}"#.utf8))
        #expect(response.headers[.contentType] == "application/json")
    }

    @Test(arguments: [true, false])
    func `a typed dummy of a text responds with what its API's dogma accepts`(isEnvelope: Bool) async throws {
        manager.dogmas["envelope"] = EnvelopeDogma()
        let key = APIAlias<String>("greeting")
        manager.apis[key] = isEnvelope ? API(.get, "/greeting").dogma("envelope") : API(.get, "/greeting")
        manager.dummies.register(Dummy(key, responding: "hello"))
        let response = try await manager.request(key).response()
        #expect(response.model == "hello")
        #expect((response.raw.body == Data("hello".utf8)) == !isEnvelope)
    }

    @Test
    func `a dummy's request shows no credential that a level declares`() async throws {
        let badge = try #require(HTTPField.Name("X-Badge"))
        let shown = Recorder<String>()
        manager.dummies.register(.get, "/door") { request in
            shown.record("\(request)")
            return .status(.ok)
        }
        try await manager.request(Void.self).endpoint("/door").credentialFields(badge).header(badge, "s3cret").send()
        #expect(shown.elements.count == 1)
        #expect(shown.elements.allSatisfy { !$0.contains("s3cret") })
    }

    @Test
    func `a typed dummy of an API that sends forms responds with JSON`() async throws {
        let key = APIAlias<Visit>("visit")
        manager.apis[key] = API(.post, "/visit").dogma(.form)
        manager.dummies.register(Dummy(key, responding: Visit(lastSeen: 7)))
        #expect(try await manager.request(key).values(["a": 1]).send() == Visit(lastSeen: 7))
    }

    @Test
    func `a typed dummy whose model its dogma cannot encode ends the call`() async throws {
        let key = APIAlias<Visit>("visit")
        manager.apis[key] = API(.get, "/visit").dogma(.raw)
        manager.dummies.register(Dummy(key, responding: Visit(lastSeen: 7)))
        let error = await #expect(throws: RestClientError.self) { try await manager.request(key).send() }
        #expect(error?.code == .dummyFailed)
    }

    @Test
    func `a dummy reads the form that a call sends`() async throws {
        let form = MultipartForm().field("title", "Zoë").data("photo", Data([0, 255]), fileName: "a.png")
        manager.dummies.register(.post, "/photos") { request in
            #expect(try request.form() == form)
            return .text(try request.form().parts.map(\.name).joined(separator: " "))
        }
        manager.dummies.register(.post, "/text") { request in .text("\(try request.form().parts.count)") }

        let node = manager.request(String.self).post().endpoint("/photos").dogma(.raw).body(.multipart(form))
        #expect(try await node.send() == "title photo")
        let other = manager.request(String.self).post().endpoint("/text").body(Data(), contentType: "text/plain")
        let error = await #expect(throws: RestClientError.self) { try await other.send() }
        #expect(error?.code == .invalidMultipart)
        #expect(error?.message.contains("cannot be read as a form") == true)
    }

    @Test
    func `a dummy decodes the request by the call's dogma`() async throws {
        registerSnakeCase()
        manager.dummies.register(
            Dummy(.post, "/visits").responds { request in .text("\(try request.model(Visit.self).lastSeen)") }
        )
        let node = manager.request(String.self).post().endpoint("/visits").dogma("snake")
        #expect(try await node.body(Visit(lastSeen: 7)).send() == "7")
    }
}
