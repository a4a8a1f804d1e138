// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import SharedStore
import TestSupport
import Testing

/// The documented examples of HJRestClientManager.
@Suite(.timeLimit(.minutes(5)))
struct HJRestClientManagerTests {
    private func withService(_ body: (Service) async throws -> Void) async throws {
        try await Service.with { service async throws in
            service.manager.apis[.user] = API(.get, "/users/$0", server: .main, defaults: ["$0": "me"])
            service.manager.apis[.users] = API(.get, "/users", server: .main)
            service.server.on(.get, "/users") { _ in .json(#"[{"id": 1, "name": "kim"}, {"id": 2, "name": "lee"}]"#) }
            service.server.on(.get, "/users/{id}") { request in
                User.response(Int(request.parameters["id"] ?? "") ?? 0)
            }
            try await body(service)
        }
    }

    @Test
    func `a server and an API have aliases, and a request names them`() async throws {
        try await withService { service async throws in
            let user = try await service.manager.request(.user).values(["$0": "7", "full": true]).send()
            #expect(user == User(id: 7))
            _ = try await service.manager.request(.user).send()
            let own = try await service.manager.request(User.self).get().server(.main).endpoint("users/9").send()
            #expect(own == User(id: 9))
            _ = try await service.manager.request(User.self).serverAddress(service.server.url + "/")
                .endpoint("/users/3")
                .send()
            #expect(
                service.server.requests.map(\.target) == ["/users/7?full=true", "/users/me", "/users/9", "/users/3"]
            )
        }
    }

    @Test
    func `a server may be pointed elsewhere after its APIs were registered`() async throws {
        try await withService { service async throws in
            try await LoopbackServer.with { other async throws in
                other.on(.get, "/v2/users/{id}") { _ in User.response(5) }
                service.manager.servers[.main] = Server(other.url + "/v2")
                #expect(try await service.manager.request(.user).send() == User(id: 5))
                #expect(service.server.requests.isEmpty)
            }
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.post, "application/json"), (.put, "application/json"), (.delete, "application/json"),
    ])
    func `a dictionary is the body of a request that is no GET`(method: HTTPRequest.Method, type: String) async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in .text("{}") }
            try await service.manager.run(
                service.manager.request(Void.self).method(method).endpoint("/a")
                    .values(["name": "Kim", "age": 41])
            )
            let request = try #require(service.server.requests.first)
            let body = try JSONDecoder().decode(JSONValue.self, from: Data(request.body))
            #expect(body == ["name": "Kim", "age": 41])
            #expect(request.headers["Content-Type"] == type)
            #expect(request.query == nil)
        }
    }

    @Test
    func `a dogma encodes and decodes what a request names it for`() async throws {
        /// Lines of `name=value`.
        struct LineDogma: Dogma {
            var acceptedContentType: String? { "text/x-lines" }

            func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
                EncodedBody(Data("id=\((model as? User)?.id ?? 0)".utf8), contentType: "text/x-lines")
            }

            func decode<Model: Decodable>(
                _ type: Model.Type,
                from response: RawResponse,
                for request: DogmaRequest
            ) throws -> Model {
                let id = Int(String(decoding: response.body.dropFirst(3), as: UTF8.self))
                return try #require(id.map { User(id: $0) } as? Model)
            }
        }
        try await Service.with { service async throws in
            service.manager.dogmas["lines"] = LineDogma()
            service.manager.defaultDogma = "lines"
            service.server.on(.post, "/echo") { request in .bytes(request.body, contentType: "text/x-lines") }
            let node = service.manager.request(User.self).post().endpoint("/echo").body(User(id: 7))
            #expect(try await node.send() == User(id: 7))
            let request = try #require(service.server.requests.first)
            #expect(request.text == "id=7")
            #expect(request.headers["Accept"] == "text/x-lines")
            let error = await #expect(throws: RestClientError.self) { try await node.dogma("unheard").send() }
            #expect(error?.code == .unknownDogma)
        }
    }

    @Test
    func `automatic header fields go with every request, and a request's own win`() async throws {
        try await withService { service async throws in
            service.manager.options = service.manager.options.header("X-App", "one").header("X-Both", "manager")
            _ = try await service.manager.request(.user).header("X-Both", "node").send()
            let headers = try #require(service.server.requests.first).headers
            #expect(headers["X-App"] == "one")
            #expect(headers.values("X-Both") == ["node"])
        }
    }

    @Test
    func `a chain hands results on, with local work in between`() async throws {
        try await withService { service async throws in
            let users = RequestNode(.users)
            let pick = LocalJob("pick") { previous in try previous.value(as: [User].self)[1].id }
            let user = RequestNode(.user)
                .handover { node, previous in
                    node.parameter("$0", try previous.value(as: Int.self))
                }
            let report = await service.manager.serially([users, pick, user], onFailure: .stop)
            #expect(report.isSuccess)
            #expect(report[2].value as? User == User(id: 2))
            #expect(service.paths == ["/users", "/users/2"])
        }
    }

    @Test
    func `a chain stops at a failure, and says what was not run`() async throws {
        try await withService { service async throws in
            let report = await service.manager.serially([
                service.manager.request(.users), service.manager.request([User].self).endpoint("/none"),
                service.manager.request(.users),
            ])
            #expect(report.stopped)
            #expect(report[0].value?.count == 2)
            #expect((report[1].error as? RestClientError)?.status == .notFound)
            guard case .notRun = report[2] else {
                Issue.record("the last request was \(report[2])")
                return
            }
            #expect(service.paths == ["/users", "/none"])
        }
    }

    @Test
    func `a concurrent group reports in the order of its requests, whichever ends first`() async throws {
        try await Service.with { service async throws in
            let late = Gate()
            service.server.on(.get, "/first") { _ in User.response(1).after(late) }
            service.server.on(.get, "/second") { _ in
                late.open()
                return User.response(2)
            }
            let nodes = ["/first", "/second"].map { service.manager.request(User.self).endpoint(PathTemplate($0)) }
            let report = await service.manager.concurrently(nodes)
            #expect(report.values == [User(id: 1), User(id: 2)])
        }
    }

    @Test
    func `a completion that replaces a result does so for the chain, the report and the event`() async throws {
        try await withService { service async throws in
            let log = EventRecorder(service.manager)
            let first = service.manager.request(.user).parameter("$0", 1)
                .mapResult { User(id: try $0.get().id + 100) }
            let second = service.manager.request(.user)
                .handover { node, previous in node.parameter("$0", try previous.value(as: User.self).id) }
            let report = await service.manager.serially([first, second])
            #expect(report.values == [User(id: 101), User(id: 101)])
            let models = log.events.compactMap { event in
                if case .modelLoaded(let model, _) = event.kind { model as? User } else { nil }
            }
            #expect(models == [User(id: 101), User(id: 101)])
        }
    }

    @Test
    func `responses are cached, read with a greatest age, replaced and cleared`() async throws {
        try await withService { service async throws in
            let node = service.manager.request(.user).parameter("$0", 7).cache(.elseNetwork())
            #expect(try await service.manager.cache.read(node) == nil)
            _ = try await node.send()
            let read = try await service.manager.cache.read(node, maxAge: .seconds(60))
            #expect(read?.model == User(id: 7))
            #expect(try await node.response().source.isCache)
            try await service.manager.cache.store(User(id: 8), for: node)
            #expect(try await service.manager.cache.read(node)?.model == User(id: 8))
            #expect(try await service.manager.cache.remove(node))
            #expect(try await service.manager.cache.read(node) == nil)
            #expect(service.server.requests.count == 1)
        }
    }

    @Test
    func `shared data is kept sealed, and those who observe a key see the old and the new value`() async throws {
        let directory = try TemporaryDirectory()
        let key = SharedKey<User>("me", codec: .gzipSealed(.generate()))
        let changes = Recorder<[Int?]>()
        let manager = try RestClientManager.forTests()
        try manager.persist(in: directory.url)
        let observation = manager.sharedData.observe(key) { changes.record([$0.oldValue?.id, $0.newValue?.id]) }
        try manager.sharedData.set(User(id: 1, name: "a name in clear"), for: key)
        try manager.sharedData.set(User(id: 2), for: key)
        #expect(try manager.sharedData.remove(key)?.id == 2)
        #expect(try await changes.waitForCount(3) == [[nil, 1], [1, 2], [2, nil]])
        observation.cancel()
        for name in directory.names {
            let bytes = (try? Data(contentsOf: directory.path(name))) ?? Data()
            #expect(!String(decoding: bytes, as: UTF8.self).contains("a name in clear"), "\(name)")
        }
    }

    @Test
    func `a dummy responds in the place of the server, and can be removed`() async throws {
        try await withService { service async throws in
            service.manager.dummies.mode = .matched
            let dummy = service.manager.dummies.register(.get, "/users/{id}", server: .main) { request in
                .json(User(id: 100 + (Int(request.parameters["id"] ?? "") ?? 0)))
            }
            let node = service.manager.request(.user).values(["$0": 7])
            #expect(try await node.send() == User(id: 107))
            #expect(service.server.requests.isEmpty)
            dummy.remove()
            #expect(try await node.send() == User(id: 7))
            #expect(dummy.callCount == 1)
        }
    }

    @Test
    func `events tell of a call from its start to its one end, and of what a program says`() async throws {
        try await withService { service async throws in
            let log = EventRecorder(service.manager)
            _ = try await service.manager.request(.user).callIdentifier("the user").send()
            service.manager.emit("signed in", payload: ["user": 7])
            let custom = try await log.wait(for: .custom).first
            #expect(log.names.first == .callStarted)
            #expect(log.count(of: .callSucceeded) == 1)
            #expect(log.events.filter(\.isTerminal).map(\.request?.callIdentifier) == ["the user"])
            guard case .custom("signed in", ["user": 7])? = custom?.kind else {
                Issue.record("the event was \(String(describing: custom))")
                return
            }
        }
    }

    @Test
    func `HJ 6, requests are held back and released, and an urgent one is served first`() async throws {
        try await Service.with { configuration in
            configuration.workerCount = 1
        } _: { service async throws in
            service.server.onAny { _ in User.response(1) }
            let workers = service.manager.workers
            workers.isPaused = true
            var calls: [Task<User, any Error>] = []
            for (number, priority) in [JobPriority.normal, .normal, .high].enumerated() {
                calls.append(
                    Task {
                        try await service.manager.request(User.self).endpoint("/{number}")
                            .parameter("number", number).priority(priority).send()
                    }
                )
                try await workers.wait { $0.waiting == number + 1 }
            }
            calls[1].cancel()
            try await workers.wait { $0.waiting == 2 }
            // A larger pool wakes nobody while it is paused.
            workers.size = 2
            workers.size = 1
            #expect(workers.runningCount == 0)
            #expect(service.server.requests.isEmpty)
            workers.isPaused = false
            #expect(try await calls[0].value == User(id: 1))
            #expect(try await calls[2].value == User(id: 1))
            await #expect(throws: CancellationError.self) { try await calls[1].value }
            #expect(service.paths == ["/2", "/0"])
        }
    }

    @Test
    func `HJ 32, events carry the request's model, the response's fields and the result of local work`() async throws {
        try await withService { service async throws in
            let log = EventRecorder(service.manager)
            service.server.on(.post, "/users") { _ in
                .json(#"{"id": 1, "name": "kim"}"#, headers: ["X-Page": "3", "Set-Cookie": "session=secret"])
            }
            let node = service.manager.request(User.self).post().endpoint("/users")
            _ = try await node.body(User(id: 5)).send()
            _ = try await node.values(["id": 6]).send()
            _ = try await service.manager.request(.user).send()
            _ = try await service.manager.run(LocalJob("sum") { 2 + 3 })
            _ = await service.manager.concurrently([LocalJob("in a group") { User(id: 9) }])
            let starts = log.events.filter { $0.kind.name == .callStarted }.map(\.value)
            #expect(starts.count == 3)
            #expect(starts[0] as? User == User(id: 5))
            #expect(starts[1] as? [String: JSONValue] == ["id": 6])
            #expect(starts[2] == nil)
            let fields = try #require(log.events.first { $0.kind.name == .callSucceeded }?.responseFields)
            #expect(fields[HTTPField.Name("X-Page")!] == "3")
            #expect(fields[.setCookie] == "<redacted>")
            let results = log.events.filter { $0.kind.name == .localJobSucceeded }.map(\.value)
            #expect(results[0] as? Int == 5)
            #expect(results[1] as? User == User(id: 9))
            #expect(log.events.allSatisfy { !"\($0)".contains("secret") })
        }
    }

    @Test
    func `HJ 37, the end of a group is told with its identifier and its results in order`() async throws {
        try await withService { service async throws in
            let group = GroupID()
            let ends = Recorder<GroupReport<any Sendable>>()
            let observation = service.manager.observe(.names(.groupFinished)) { event in
                if case .groupFinished(let report) = event.kind {
                    ends.record(report)
                }
            }
            let nodes = (1...3).map { service.manager.request(.user).parameter("$0", $0) }
            let report = await service.manager.concurrently(nodes, id: group)
            let end = try #require(try await ends.waitForCount(1).first)
            #expect(end.id == group)
            #expect(report.id == group)
            #expect(end.outcomes.map { ($0.value as? User)?.id } == [1, 2, 3])
            #expect(!end.stopped)
            observation.cancel()
        }
    }

    @Test
    func `HJ 46, an event says which models were stored and replaced, and none that nothing was removed`()
        async throws
    {
        try await withService { service async throws in
            let log = EventRecorder(service.manager)
            let cache = service.manager.cache
            let node = service.manager.request(.user).parameter("$0", 7)
            #expect(try await !cache.remove(node))
            try await cache.store(User(id: 7), for: node)
            try await cache.update(node) { $0.name = "lee" }
            #expect(try await cache.remove(node))
            let stored = log.events.filter { $0.kind.name == .cacheStored }
            #expect(stored.map { $0.value as? User } == [User(id: 7), User(id: 7, name: "lee")])
            #expect(stored.map { $0.oldValue as? User } == [nil, User(id: 7)])
            let removed = log.events.first { $0.kind.name == .cacheRemoved }
            #expect(removed?.oldValue as? User == User(id: 7, name: "lee"))
            #expect(stored.map(\.request?.api) == ["user", "user"])
            #expect(log.count(of: .cacheRemoved) == 1)
        }
    }

    @Test
    func `each status has its class, and its body is kept`() async throws {
        try await Service.with { service async throws in
            service.server.on(.get, "/{code}") { request in
                .text("why", status: Int(request.parameters["code"] ?? "") ?? 0)
            }
            for (code, expected) in [
                (401, FailureClass.unauthorized), (503, .serverUnavailable), (500, .status), (404, .status),
            ] {
                let node = service.manager.request().endpoint("/{code}").parameter("code", code)
                let error = await #expect(throws: RestClientError.self) { try await node.send() }
                #expect(error?.failureClass == expected)
                #expect(error?.response?.body == Data("why".utf8))
            }
        }
    }
}
