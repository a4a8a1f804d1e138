// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// The documented examples of CodyFire.
@Suite(.timeLimit(.minutes(5)))
struct CodyFireTests {
    /// Starts a call, and returns the handlers that were called when it has ended.
    private func handlers(
        of node: RequestNode<User>,
        cancels: Bool = false,
        after wait: () async throws -> Void = {}
    )
        async throws -> [String]
    {
        let calls = Recorder<String>()
        let call = node.onStart { calls.record("start") }
            .onSuccess { calls.record("success \($0.model.id)") }
            .onError(of: .unauthorized) { _ in calls.record("unauthorized") }
            .onError(of: .timeout) { _ in calls.record("timeout") }
            .onError(of: .network) { _ in calls.record("offline") }
            .onError(of: .cancelled) { _ in calls.record("cancel") }
            .onError { calls.record("error \(($0 as? RestClientError)?.status?.code ?? 0)") }
            .resume()
        try await wait()
        if cancels {
            call.cancel()
            call.cancel()
        }
        await call.finished()
        return calls.elements
    }

    @Test
    func `environments are switched at run time, by name or by a variable`() async throws {
        try await LoopbackServer.with { staging in
            staging.onAny { _ in User.response(2) }
            try await Service.with { service async throws in
                service.server.onAny { _ in User.response(1) }
                let manager = service.manager
                manager.servers[.main] = nil
                manager.environments["production"] = ClientEnvironment(servers: [.main: Server(service.server.url)])
                manager.environments["staging"] = ClientEnvironment(servers: [.main: Server(staging.url)])
                let node = manager.request(User.self).server(.main).endpoint("/user")
                try manager.environments.use(fromVariable: "PARITY_NO_SUCH_VARIABLE", else: "production")
                #expect(try await node.send().id == 1)
                try manager.environments.use("staging")
                #expect(try await node.send().id == 2)
                #expect(manager.environments.current == "staging")
                #expect(throws: RestClientError.self) { try manager.environments.use("unheard") }
            }
        }
    }

    @Test
    func `a payload goes as JSON, as a form or as a multipart form, by any method`() async throws {
        struct Draft: Codable, Sendable {
            var title = "a&b=c+d"
            var tags = ["x", "y"]
        }
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(1) }
            let node = service.manager.request(User.self).endpoint("/drafts")
            _ = try await node.put().body(Draft()).send()
            _ = try await node.patch().dogma(.form).body(Draft()).send()
            _ = try await node.post()
                .body(.multipart(MultipartForm().field("title", "a").data("f", Data("x".utf8), fileName: "a.txt")))
                .send()
            let requests = service.server.requests
            #expect(requests.map(\.method) == [.put, .patch, .post])
            #expect(
                requests.map { $0.headers["Content-Type"]?.prefix { $0 != ";" } ?? "" } == [
                    "application/json", "application/x-www-form-urlencoded", "multipart/form-data",
                ]
            )
            let json = try JSONDecoder().decode(JSONValue.self, from: Data(requests[0].body))
            #expect(json == ["title": "a&b=c+d", "tags": ["x", "y"]])
            #expect(requests[1].text.split(separator: "&").sorted() == ["tags=x", "tags=y", "title=a%26b%3Dc%2Bd"])
            #expect(requests[2].text.contains("filename=\"a.txt\""))
        }
    }

    @Test
    func `a query has lists and Booleans in the style that the server wants`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(1) }
            let node = service.manager.request(User.self).endpoint("/a").query(["on": true, "ids": [1, 2]])
            _ = try await node.send()
            _ = try await node.queryEncoding(QueryEncoding(lists: .brackets, bools: .digits)).send()
            #expect(
                service.server.requests.map(\.queryItems).map { $0.map { "\($0.name)=\($0.value)" } } == [
                    ["on=true", "ids=1", "ids=2"], ["on=1", "ids[]=1", "ids[]=2"],
                ]
            )
        }
    }

    @Test
    func `a header field with a closure is asked for each attempt, and basic authentication is spelled right`()
        async throws
    {
        try await Service.with { service async throws in
            let count = Counter()
            service.server.onAny { request in request.number == 1 ? .status(503) : User.response(1) }
            service.manager.options = service.manager.options
                .header(.acceptLanguage) {
                    "v\(count.next())"
                }
            _ = try await service.manager.request(User.self).endpoint("/a").basic(user: "Kim", password: "p:ä")
                .retry(quickly(3)).send()
            #expect(service.server.requests.map { $0.headers["Accept-Language"] } == ["v1", "v2"])
            let encoded = Data("Kim:p:ä".utf8).base64EncodedString()
            #expect(
                service.server.requests.map { $0.headers["Authorization"] } == ["Basic \(encoded)", "Basic \(encoded)"]
            )
        }
    }

    @Test
    func `the special handler is called in the place of the general one`() async throws {
        try await Service.with { service async throws in
            let unauthorized = Recorder<Int>()
            service.manager.options = service.manager.options.onRefusedCredentials {
                unauthorized.record($0.status?.code ?? 0)
            }
            service.server.on(.get, "/{code}") { request in
                .json(#"{"id": 1, "name": "kim"}"#, status: Int(request.parameters["code"] ?? "") ?? 0)
            }
            service.server.on(.post, "/never") { _ in .never }
            func node(_ code: Int) -> RequestNode<User> {
                service.manager.request(User.self).endpoint("/{code}").parameter("code", code)
            }
            let never = service.manager.request(User.self).post().endpoint("/never")
            #expect(try await handlers(of: node(201)) == ["start", "success 1"])
            #expect(try await handlers(of: node(401)) == ["start", "unauthorized"])
            #expect(unauthorized.elements == [401])
            #expect(try await handlers(of: node(422)) == ["start", "error 422"])
            #expect(try await handlers(of: node(201).accepting([.ok])) == ["start", "error 201"])
            #expect(try await handlers(of: never.timeout(.milliseconds(50))) == ["start", "timeout"])
            let reached = Gate()
            service.server.on(.post, "/held") { _ in
                reached.open()
                return .never
            }
            let held = service.manager.request(User.self).post().endpoint("/held")
            let cancelled = try await handlers(of: held, cancels: true) { try await reached.wait() }
            #expect(cancelled == ["start", "cancel"])
        }
    }

    @Test
    func `a server that is not there is offline`() async throws {
        let port = try LoopbackPort(.refusing)
        let manager = try RestClientManager.forTests()
        let node = manager.request(User.self).url("http://127.0.0.1:\(port.number)/")
        #expect(try await handlers(of: node) == ["start", "offline"])
    }

    @Test
    func `requests one after the other give a typed tuple, and the first failure ends them`() async throws {
        try await Service.with { service async throws in
            service.server.on(.get, "/user") { _ in User.response(1) }
            service.server.on(.get, "/count") { _ in .json("2") }
            let (user, count) = try await service.manager.serially(
                service.manager.request(User.self).endpoint("/user"),
                service.manager.request(Int.self).endpoint("/count")
            )
            #expect(user == User(id: 1))
            #expect(count == 2)
            await #expect(throws: RestClientError.self) {
                try await service.manager.serially(
                    service.manager.request(Int.self).endpoint("/none"),
                    service.manager.request(User.self).endpoint("/user")
                )
            }
            #expect(service.paths == ["/user", "/count", "/none"])
        }
    }

    @Test
    func `a list of requests goes on after failures, as many at a time as there are workers`() async throws {
        try await Service.with { configuration in
            configuration.workerCount = 3
        } _: { service async throws in
            let running = Mutex((now: 0, most: 0))
            let full = Gate()
            service.server.on(.get, "/{id}") { request in
                let isFull = running.withLock { running in
                    running.now += 1
                    running.most = max(running.most, running.now)
                    return running.now == 3
                }
                if isFull {
                    full.open()
                }
                try await full.wait()
                running.withLock { $0.now -= 1 }
                return request.parameters["id"] == "4" ? .status(500) : User.response(1)
            }
            let nodes = (1...9).map { service.manager.request(User.self).endpoint("/{id}").parameter("id", $0) }
            let report = await service.manager.concurrently(nodes)
            #expect(report.values.count == 8)
            #expect((report[3].error as? RestClientError)?.status == .internalServerError)
            #expect(running.withLock { $0.most } == 3)
        }
    }

    @Test
    func `a list of requests has a width, and the first failure ends it if that is wanted`() async throws {
        try await Service.with { service async throws in
            let gate = Gate()
            service.server.on(.get, "/{id}") { request in
                request.parameters["id"] == "2" ? .status(500) : User.response(1).after(gate)
            }
            let nodes = (1...9).map { service.manager.request(User.self).endpoint("/{id}").parameter("id", $0) }
            let report = await service.manager.concurrently(nodes, limit: 2, onFailure: .cancel)
            #expect((report.errors.first as? RestClientError)?.status == .internalServerError)
            #expect(report.errors.count == 1)
            #expect(report.stopped)
            #expect(Set(service.paths).isSubset(of: ["/1", "/2"]))
        }
    }

    @Test
    func `errors have the program's own texts by status, those of a request before those of all`() async throws {
        try await Service.with { service async throws in
            service.server.on(.get, "/{code}") { .status(Int($0.parameters["code"] ?? "") ?? 0) }
            let manager = service.manager
            manager.options = manager.options.errorTexts([.unauthorized: "Sign in", .conflict: "Already taken"])
            func text(_ code: Int) async -> String? {
                let node = manager.request(User.self).endpoint("/{code}").parameter("code", code)
                    .errorTexts([.conflict: "This name is taken"])
                return await #expect(throws: RestClientError.self) { try await node.send() }?.message
            }
            #expect(await text(401) == "Sign in")
            #expect(await text(409) == "This name is taken")
            #expect(await text(410)?.contains("410") == true)
        }
    }

    @Test
    func `CodyFire 3, errors without a response have the program's own texts, too`() async throws {
        let port = try LoopbackPort(.refusing)
        let manager = try RestClientManager.forTests()
        manager.options = manager.options.errorTexts(byCode: [
            .connectionFailed: "No network", .unacceptableStatus: "Refused",
        ])
        let nobody = manager.request(User.self).url("http://127.0.0.1:\(port.number)/")
        let offline = await #expect(throws: RestClientError.self) { try await nobody.send() }
        #expect(offline?.message == "No network")
        #expect(offline?.code == .connectionFailed)
        let own = await #expect(throws: RestClientError.self) {
            try await nobody.errorTexts(byCode: [.connectionFailed: "Try later"]).send()
        }
        #expect(own?.message == "Try later")
        try await Service.with { service async throws in
            service.server.on(.get, "/{code}") { .status(Int($0.parameters["code"] ?? "") ?? 0) }
            service.manager.options = manager.options.errorTexts([.conflict: "Already taken"])
            for (code, text) in [(409, "Already taken"), (410, "Refused")] {
                let node = service.manager.request(User.self).endpoint("/{code}").parameter("code", code)
                let error = await #expect(throws: RestClientError.self) { try await node.send() }
                #expect(error?.message == text)
            }
        }
    }

    @Test(arguments: [FailureReaction.cancel, .stop])
    func `CodyFire 21, a list of requests ends at some failures, and goes on after others`(
        reaction: FailureReaction
    ) async throws {
        try await Service.with { service async throws in
            service.server.on(.get, "/{id}") { request in
                switch request.parameters["id"] {
                case "2": .status(404)
                case "4": .status(401)
                default: User.response(1)
                }
            }
            let nodes = (1...9).map { service.manager.request(User.self).endpoint("/{id}").parameter("id", $0) }
            @Sendable func isHarmless(_ error: any Error) -> Bool {
                (error as? RestClientError)?.status == .notFound
            }
            let report = await service.manager
                .concurrently(nodes, limit: 1, onFailure: reaction, ignoring: isHarmless)
            #expect(report.values.count == 2)
            #expect(report.errors.map { ($0 as? RestClientError)?.status } == [.notFound, .unauthorized])
            #expect(report.stopped)
            #expect(service.paths == ["/1", "/2", "/3", "/4"])
            // The same for jobs that are not all requests, and for local jobs.
            let mixed: [any Job] = [
                LocalJob("fails") { throw Problem(message: "harmless") }, nodes[0], nodes[3], nodes[4],
            ]
            let second = await service.manager
                .concurrently(mixed, limit: 1, onFailure: reaction) { $0 is Problem }
            #expect(second[0].error as? Problem == Problem(message: "harmless"))
            #expect(second[1].isSuccess)
            #expect(!second[2].isSuccess)
            guard case .notRun = second[3] else {
                Issue.record("the last request was \(second[3])")
                return
            }
            let log = EventRecorder(service.manager)
            let jobs = (1...3).map { number in LocalJob("\(number)") { throw Problem(message: "\(number)") } }
            let third = await service.manager.concurrently(jobs, limit: 1, onFailure: reaction) { $0 is Problem }
            #expect(third.errors.compactMap { ($0 as? Problem)?.message } == ["1", "2", "3"])
            #expect(!third.stopped)
            let failures = log.events.compactMap { event in
                if case .localJobFailed(_, let error) = event.kind { error as? Problem } else { nil }
            }
            #expect(failures.count == 3)
        }
    }

    @Test
    func `CodyFire 21, a list of requests has one progress`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(1) }
            let last = Mutex(TransferProgress())
            let nodes = (1...4)
                .map {
                    service.manager.request(User.self).post().endpoint("/{id}").parameter("id", $0)
                        .body(Data(repeating: 0, count: 1_000))
                }
            let report = await service.manager.withProgress(of: .sent) { progress in
                last.withLock { $0 = progress }
            } operation: {
                await service.manager.concurrently(nodes, limit: 2)
            }
            #expect(report.isSuccess)
            #expect(last.withLock { $0.completed } == 4_000)
            #expect(last.withLock { $0.fraction } == 1)
        }
    }

    @Test
    func `dates and keys have a strategy for all, and for one request`() async throws {
        struct Visit: Codable, Sendable, Equatable {
            var startedAt = Date(timeIntervalSince1970: 1_000)
        }
        try await Service.with { service async throws in
            service.server.onAny { request in .bytes(request.body, contentType: "application/json") }
            let manager = service.manager
            manager.options = manager.options.coding(keys: .snakeCase, dates: .secondsSince1970)
            let node = manager.request(Visit.self).post().endpoint("/echo").body(Visit())
            #expect(try await node.send() == Visit())
            #expect(try await node.coding(dates: .millisecondsSince1970).send() == Visit())
            #expect(service.server.requests.map(\.text) == [#"{"started_at":1000}"#, #"{"started_at":1000000}"#])
        }
    }

    @Test
    func `a success takes a least time`() async throws {
        let clock = ManualClock()
        try await Service.with { configuration in
            configuration = configuration.timeout(nil)
            configuration.clock = clock
        } _: { service async throws in
            service.server.onAny { _ in User.response(1) }
            let node = service.manager.request(User.self).endpoint("/a").minimumDuration(.seconds(2))
            let call = Task { try await node.response() }
            try await clock.waitForSleepers(count: 1)
            clock.advance(by: .seconds(2))
            #expect(try await call.value.duration == .seconds(2))
        }
    }

    @Test
    func `dates and keys are coded as the dogma says, in both directions`() async throws {
        struct Visit: Codable, Sendable, Equatable {
            var startedAt: Date
        }
        try await Service.with { service async throws in
            service.manager.dogmas["snake"] = JSONDogma { encoder in
                encoder.keyEncodingStrategy = .convertToSnakeCase
                encoder.dateEncodingStrategy = .secondsSince1970
            } configureDecoder: { decoder in
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                decoder.dateDecodingStrategy = .secondsSince1970
            }
            service.server.onAny { request in .bytes(request.body, contentType: "application/json") }
            let visit = Visit(startedAt: Date(timeIntervalSince1970: 1_000))
            let node = service.manager.request(Visit.self).post().endpoint("/echo").dogma("snake").body(visit)
            #expect(try await node.send() == visit)
            #expect(service.server.requests.first?.text == #"{"started_at":1000}"#)
        }
    }

    @Test
    func `an error keeps its body, and a mapper makes the program's own of it`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in .json(#"{"message": "too late"}"#, status: 422) }
            let node = service.manager.request(User.self).endpoint("/a")
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.decodedBody(as: Problem.self) == Problem(message: "too late"))
            let mapped = node.mapError { error in
                if let problem = error.decodedBody(as: Problem.self) { problem } else { error }
            }
            await #expect(throws: Problem(message: "too late")) { try await mapped.send() }
        }
    }
}

/// A policy without waits worth mentioning.
func quickly(_ attempts: Int) -> RetryPolicy {
    var policy = RetryPolicy(attempts: attempts)
    policy.backoff.first = .milliseconds(1)
    return policy
}
