// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// Defects of earlier clients in how a request is made, sent and ended; each test is named for one of them.
@Suite(.timeLimit(.minutes(5)))
struct RequestRegressionTests {
    @Test
    func `a completion was called twice`() async throws {
        try await Service.with { service async throws in
            service.server.on(.get, "/user") { _ in User.response(1) }
            let log = EventRecorder(service.manager)
            for path in ["/user", "/none"] {
                let calls = Recorder<Bool>()
                await service.manager.request(User.self).endpoint(PathTemplate(path))
                    .resume { calls.record((try? $0.get()) != nil) }
                    .finished()
                #expect(calls.elements == [path == "/user"])
            }
            #expect(log.events.count(where: \.isTerminal) == 2)
        }
    }

    @Test(arguments: [201, 202, 203, 204, 205, 206])
    func `a success other than 200 was a failure`(status: Int) async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in .status(status) }
            try await service.manager.request(Void.self).endpoint("/a").send()
            #expect(try await service.manager.request(User?.self).endpoint("/a").send() == nil)
        }
    }

    @Test(arguments: [400, 401, 403, 404, 409, 422, 429, 500, 502, 503])
    func `a failure passed as a success`(status: Int) async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in .json(#"{"id": 1, "name": "kim"}"#, status: status) }
            let node = service.manager.request(User.self).endpoint("/a")
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.status?.code == status)
            #expect(error?.decodedBody(as: User.self) == User(id: 1))
        }
    }

    @Test(arguments: [LoopbackResponse.Ending.close, .reset])
    func `a connection lost behind the head was an empty success`(ending: LoopbackResponse.Ending) async throws {
        try await Service.with { service async throws in
            service.server.on(.get, "/short") { _ in
                LoopbackResponse.text("[]").claimingLength(100).ending(ending)
            }
            service.server.on(.get, "/chunks") { _ in LoopbackResponse.chunks(["[]"]).ending(ending) }
            for path in ["/short", "/chunks"] {
                let node = service.manager.request([Int].self).endpoint(PathTemplate(path))
                let error = await #expect(throws: RestClientError.self) { try await node.send() }
                #expect(error?.code == .connectionClosed)
            }
        }
    }

    @Test
    func `the token $1 ate the head of $10`() throws {
        let template = PathTemplate("/$1/$10")
        #expect(try template.expand(["$1": "a", "$10": "b"]) == "/a/b")
        // One pass: a value is not searched for tokens.
        let text = try template.expand(["$1": "$10", "$10": "b"])
        #expect(["/$10/b", "/%2410/b"].contains(text))
    }

    @Test
    func `a default lost the slash before it, and was not used without a model`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in .status(204) }
            let api = APIAlias<Void>("hello")
            service.manager.apis[api] = API(.get, "/hello/$0", defaults: ["$0": "guest"])
            try await service.manager.request(api).send()
            service.manager.apis[api] = API(.get, "/hello/$0", defaults: ["$0": ""])
            try await service.manager.request(api).send()
            try await service.manager.request(api).values(["$0": 5]).send()
            #expect(service.server.requests.map(\.target) == ["/hello/guest", "/hello", "/hello/5"])
        }
    }

    @Test
    func `a value could add a segment to the path, or a query`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in .status(204) }
            for value in ["a/b", "a?b=c", "100%", "a+b", "é", "a#b"] {
                try await service.manager.request(Void.self).endpoint("/x/{value}/y").parameter("value", value).send()
            }
            let targets = service.server.requests.map(\.target)
            #expect(targets.prefix(3) == ["/x/a%2Fb/y", "/x/a%3Fb%3Dc/y", "/x/100%25/y"])
            #expect(targets.dropFirst(4) == ["/x/%C3%A9/y", "/x/a%23b/y"])
            #expect(targets.allSatisfy { $0.count { $0 == "/" } == 3 && !$0.contains("?") })
            // Also what only some servers take for a dot segment.
            for value in ["..", "..;/x", "../x", "%2e%2e"] {
                let node = service.manager.request(Void.self).endpoint("/x/{value}/y").parameter("value", value)
                let error = await #expect(throws: RestClientError.self) { try await node.send() }
                #expect(error?.code == .invalidPathParameter)
            }
        }
    }

    @Test
    func `a value with & = or + added parameters to a query or a form`() async throws {
        let values = ["&x=1", "a=b", "1+1", "a b", "100%", "é#"]
        try await Service.with { service async throws in
            service.server.onAny { _ in .status(204) }
            for value in values {
                let node = service.manager.request(Void.self).post().endpoint("/a").dogma(.form)
                try await node.query("k&ey", value).values(["k=ey": JSONValue.string(value)]).send()
            }
            for (request, value) in zip(service.server.requests, values) {
                #expect(request.queryItems.map(\.name) == ["k&ey"])
                #expect(request.queryItems.map(\.value) == [value])
                #expect(request.text.count { $0 == "=" } == 1)
                #expect(!request.text.contains("&"))
            }
        }
    }

    @Test
    func `a retry sent the header fields of the first attempt`() async throws {
        try await Service.with { service async throws in
            let tokens = Counter()
            service.server.onAny { request in request.number < 3 ? .status(503) : User.response(1) }
            let node = service.manager.request(User.self).endpoint("/a").retry(quickly(3))
                .header(.authorization) { "token \(tokens.next())" }
            _ = try await node.send()
            let sent = service.server.requests.map { $0.headers["Authorization"] }
            #expect(sent == ["token 1", "token 2", "token 3"])
        }
    }

    @Test
    func `a handler for failures was called before the last attempt`() async throws {
        try await Service.with { service async throws in
            let calls = Recorder<String>()
            service.server.onAny { request in request.number == 1 ? .never : User.response(1) }
            await service.manager.request(User.self).endpoint("/a").retry(quickly(5))
                .timeouts(attempt: .seconds(1))
                .onError(of: .timeout) { _ in calls.record("timeout") }
                .onError { _ in calls.record("error") }
                .onSuccess { _ in calls.record("success") }
                .resume().finished()
            #expect(calls.elements == ["success"])
            #expect(service.server.requests.count >= 2)
        }
    }

    @Test
    func `two threads with one key both sent`() async throws {
        try await Service.with { service async throws in
            let gate = Gate()
            service.server.onAny { _ in User.response(1).after(gate) }
            let node = service.manager.request(User.self).post().endpoint("/a").refusingDuplicates(of: "key")
            let codes = try await withThrowingTaskGroup(of: RestClientError.Code?.self) { group in
                for _ in 1...32 {
                    group.addTask {
                        do {
                            _ = try await node.send()
                            return nil
                        } catch let error as RestClientError {
                            return error.code
                        }
                    }
                }
                var codes: [RestClientError.Code?] = []
                for _ in 1...31 {
                    codes.append(try await group.next() ?? nil)
                }
                gate.open()
                codes.append(try await group.next() ?? nil)
                return codes
            }
            #expect(codes.prefix(31).allSatisfy { $0 == .duplicateCall })
            #expect(codes.last == .some(nil))
            #expect(service.server.requests.count == 1)
        }
    }

    private enum Orders {
        struct Item: Codable, Sendable {
            var id: Int
        }
    }

    private enum Invoices {
        struct Item: Codable, Sendable {
            var id: Int
        }
    }

    @Test
    func `types of one name were confused`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in .never }
            let orders = Task { try await service.manager.request(Orders.Item.self).endpoint("/orders").send() }
            let invoices = Task { try await service.manager.request(Invoices.Item.self).endpoint("/invoices").send() }
            try await service.server.waitForRequests(count: 2)
            #expect(service.manager.calls.cancel(.model(Orders.Item.self)) == 1)
            await #expect(throws: CancellationError.self) { try await orders.value }
            #expect(service.manager.calls.running().map { $0.request.template ?? "" } == ["/invoices"])
            invoices.cancel()
            await #expect(throws: CancellationError.self) { try await invoices.value }
        }
    }

    @Test
    func `a cancelled request was still under way, so that its repetition was refused`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { request in request.number == 1 ? .never : User.response(1) }
            let node = service.manager.request(User.self).endpoint("/a").refusingDuplicates(of: "key")
            let first = Task { try await node.send() }
            try await service.server.waitForRequests()
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            #expect(service.manager.calls.running().isEmpty)
            #expect(try await node.send() == User(id: 1))
        }
    }

    @Test(arguments: [false, true])
    func `a cancelled request was under way until its end was told, so that its repetition was refused`(
        isCallback: Bool
    ) async throws {
        try await Service.with { service async throws in
            // The first call cannot end while its interceptor, which does not heed cancelling, holds it.
            struct Slow: Interceptor {
                let gate: Gate
                let held: Gate

                func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
                    held.open()
                    let gate = gate
                    await Task.detached { try? await gate.wait() }.value
                    return try await next(request)
                }
            }
            let gate = Gate()
            let held = Gate()
            service.server.onAny { _ in User.response(1) }
            let node = service.manager.request(User.self).endpoint("/a").refusingDuplicates(of: "key")
            let ends = Recorder<Bool>()
            let call = node.interceptors(Slow(gate: gate, held: held))
                .onError(of: .cancelled) { _ in ends.record(true) }
                .onSuccess { _ in ends.record(false) }
                .resume()
            try await held.wait()
            let calls = service.manager.calls
            #expect(calls.running().count == 1)
            await #expect(throws: RestClientError.self) { try await node.send() }
            if isCallback {
                call.cancel()
            } else {
                #expect(calls.cancel(.all) == 1)
            }
            #expect(calls.running().isEmpty)
            #expect(calls.cancel(.all) == 0)
            #expect(try await node.send() == User(id: 1))
            #expect(ends.elements.isEmpty)
            gate.open()
            await call.finished()
            #expect(ends.elements == [true])
            // The end of the first call does not free the key of another one.
            #expect(try await node.send() == User(id: 1))
        }
    }

    @Test
    func `a request that was refused or could not be sent ended in silence`() async throws {
        struct Veto: Interceptor {
            func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
                throw Problem(message: "no")
            }
        }
        let port = try LoopbackPort(.refusing)
        let manager = try RestClientManager.forTests()
        let node = manager.request(User.self).url("http://127.0.0.1:\(port.number)/")
        for (node, expected) in [
            (node, "offline"), (node.interceptors(Veto()), "error"),
            (node.interceptors(Veto(), perAttempt: true), "error"),
            (manager.request(User.self).server("none").endpoint("/a"), "error"),
        ] {
            let calls = Recorder<String>()
            await node.onError(of: .network) { _ in calls.record("offline") }.onError { _ in calls.record("error") }
                .onSuccess { _ in calls.record("success") }
                .resume().finished()
            #expect(calls.elements == [expected])
            await #expect(throws: (any Error).self) {
                for try await _ in node.responses() {}
            }
        }
    }

    @Test
    func `every certificate was accepted`() async throws {
        let identities = [
            try TestIdentity(), try TestIdentity(names: ["wrong.example"]),
            try TestIdentity(validity: .seconds(-86_400)..<(.seconds(-3_600))),
        ]
        for (index, identity) in identities.enumerated() {
            try await LoopbackServer.with(.https1(identity)) { server in
                var connections = DirectTransport.Configuration()
                // The first one is what it says, but nobody vouches for it; the others are vouched for.
                connections.additionalTrustRoots = index == 0 ? [] : [identity.certificatePEM]
                var configuration = RestClientManager.Configuration()
                configuration.transport = try DirectTransport(configuration: connections)
                let manager = RestClientManager(configuration: configuration)
                let node = manager.request().url("https://127.0.0.1:\(server.port)/")
                let error = await #expect(throws: RestClientError.self) { try await node.send() }
                #expect(error?.code == .tlsFailed)
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test
    func `a 401 without a JSON body refreshed no token`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { request in
                request.headers["Authorization"] == "Bearer new" ? User.response(1) : .status(401)
            }
            let session = TokenSource(AccessToken("old")) { _ in AccessToken("new") }
            #expect(try await service.manager.request(User.self).endpoint("/a").bearer(session).send() == User(id: 1))
        }
    }

    @Test
    func `requests that waited for a failed refresh were dropped`() async throws {
        try await Service.with { service async throws in
            let refresh = Gate()
            service.server.onAny { _ in .status(401) }
            let session = TokenSource(AccessToken("old")) { _ in
                try await refresh.wait()
                throw Problem(message: "signed out")
            }
            let node = service.manager.request(User.self).endpoint("/a").bearer(session)
            let calls = (1...10).map { _ in Task { try await node.send() } }
            try await service.server.waitForRequests(count: 10)
            refresh.open()
            for call in calls {
                let error = await #expect(throws: RestClientError.self) { try await call.value }
                #expect(error?.code == .tokenRefreshFailed)
                #expect(error?.underlying as? Problem == Problem(message: "signed out"))
            }
            #expect(service.server.requests.count == 10)
        }
    }

    @Test
    func `a late refusal of the old token refreshed the new one`() async throws {
        try await Service.with { service async throws in
            let refreshes = Counter()
            let late = Gate()
            service.server.on(.get, "/late") { request in
                request.headers["Authorization"] == "Bearer t0"
                    ? LoopbackResponse.status(401).after(late)
                    : User.response(2)
            }
            service.server.on(.get, "/soon") { request in
                request.headers["Authorization"] == "Bearer t0" ? .status(401) : User.response(1)
            }
            let session = TokenSource(AccessToken("t0")) { _ in
                AccessToken("t\(refreshes.next())")
            }
            service.manager.servers[.main] = Server(service.server.url).bearer(session)
            let slow = Task { try await service.manager.request(User.self).endpoint("/late").send() }
            try await service.server.waitForRequests()
            #expect(try await service.manager.request(User.self).endpoint("/soon").send() == User(id: 1))
            late.open()
            #expect(try await slow.value == User(id: 2))
            #expect(refreshes.count == 1)
            let late401s = service.server.requests.filter { $0.path == "/late" }.map { $0.headers["Authorization"] }
            #expect(late401s == ["Bearer t0", "Bearer t1"])
        }
    }
}
