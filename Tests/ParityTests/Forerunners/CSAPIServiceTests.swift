// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The documented examples of CSAPIService.
@Suite(.timeLimit(.minutes(5)))
struct CSAPIServiceTests {
    /// A plugin: it prepares requests, may refuse them, and sees what becomes of them.
    private struct Plugin: Interceptor {
        let name: String
        let log: Recorder<String>
        var vetoes = false

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            log.record("\(name) will send")
            guard !vetoes else {
                throw Problem(message: "refused by \(name)")
            }
            var request = request
            request.headers[.userAgent] = (request.headers[.userAgent] ?? "") + name
            let response = try await next(request)
            log.record("\(name) received \(response.status.code)")
            return response
        }
    }

    @Test
    func `plugins run in order, the manager's around the call's, and change the request`() async throws {
        try await Service.with { service async throws in
            let log = Recorder<String>()
            service.server.onAny { _ in User.response(1) }
            service.manager.options = service.manager.options.interceptors(Plugin(name: "a", log: log))
            _ = try await service.manager.request(User.self).endpoint("/a").header(.userAgent, "")
                .interceptors(Plugin(name: "b", log: log)).send()
            #expect(log.elements == ["a will send", "b will send", "b received 200", "a received 200"])
            #expect(service.server.requests.first?.headers["User-Agent"] == "ab")
        }
    }

    @Test
    func `a plugin sees stored and dummy responses, too`() async throws {
        try await Service.with { service async throws in
            let log = Recorder<String>()
            let node = service.manager.request(User.self).endpoint("/a").interceptors(Plugin(name: "a", log: log))
            try await service.manager.cache.store(User(id: 1), for: node)
            _ = try await node.cache(.elseNetwork()).send()
            try await service.manager.withDummies(.strict, [Dummy(.get, "/a").responds(.json(User(id: 2)))]) {
                _ = try await node.send()
            }
            #expect(log.elements == ["a will send", "a received 200", "a will send", "a received 200"])
            #expect(service.server.requests.isEmpty)
        }
    }

    @Test
    func `a plugin that refuses a request ends it with its error`() async throws {
        try await Service.with { service async throws in
            let node = service.manager.request(User.self).endpoint("/a")
                .interceptors(Plugin(name: "a", log: Recorder(), vetoes: true))
            await #expect(throws: Problem(message: "refused by a")) { try await node.send() }
            #expect(service.server.requests.isEmpty)
        }
    }

    @Test
    func `an envelope is opened, and a failure of the business is an error with its code`() async throws {
        try await Service.with { service async throws in
            service.manager.dogmas["envelope"] = EnvelopeDogma(message: "msg")
            service.server.on(.get, "/good") { _ in
                .json(#"{"code": 0, "msg": "ok", "data": {"id": 7, "name": "kim"}}"#)
            }
            service.server.on(.get, "/bad") { _ in .json(#"{"code": 1001, "msg": "sold out", "data": null}"#) }
            service.manager.servers[.main] = Server(service.server.url).dogma("envelope")
            let node = service.manager.request(User.self).cache(.elseNetwork())
            #expect(try await node.endpoint("/good").send() == User(id: 7))
            let error = await #expect(throws: RestClientError.self) { try await node.endpoint("/bad").send() }
            #expect(error?.code == .rejected)
            #expect(error?.underlying as? EnvelopeError == EnvelopeError(code: "1001", message: "sold out"))
            #expect(try await service.manager.cache.read(node.endpoint("/bad")) == nil)
        }
    }

    @Test
    func `each domain has its address, its fields and its dogma`() async throws {
        try await LoopbackServer.with { files in
            files.onAny { _ in .text("a file") }
            try await Service.with { service async throws in
                service.manager.servers["files"] = Server(files.url).dogma(.raw).header("X-Domain", "files")
                let text = try await service.manager.request(String.self).server("files").endpoint("/a").send()
                #expect(text == "a file")
                #expect(files.requests.first?.headers["X-Domain"] == "files")
                #expect(service.server.requests.isEmpty)
            }
        }
    }

    @Test
    func `the cache handler is called first, then the completion`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(2) }
            let node = service.manager.request(User.self).endpoint("/user").cache(.thenNetwork)
            let calls = Recorder<String>()
            func run() async {
                await node.onCacheSuccess { calls.record("cache \($0.model.id)") }
                    .onSuccess { calls.record("network \($0.model.id)") }
                    .onError { calls.record("error \($0)") }
                    .resume().finished()
            }
            await run()
            #expect(calls.removeAll() == ["network 2"])
            try await service.manager.cache.store(User(id: 1), for: node)
            await run()
            #expect(calls.elements == ["cache 1", "network 2"])
        }
    }

    @Test
    func `an entry ends with the time that was given to it, and a key can have a part of one's own`() async throws {
        let clock = Recorder<Void>()
        try await Service.with { configuration in
            configuration.now = { Date(timeIntervalSince1970: 2_000_000_000 + Double(clock.count) * 60) }
        } _: { service async throws in
            service.server.onAny { request in User.response(request.number) }
            let node = service.manager.request(User.self).endpoint("/user")
                .cache(.elseNetwork().storing(for: .seconds(90)))
            #expect(try await node.cachePartition("a").send().id == 1)
            #expect(try await node.cachePartition("b").send().id == 2)
            clock.record(())
            #expect(try await node.cachePartition("a").send().id == 1)
            clock.record(())
            #expect(try await node.cachePartition("a").send().id == 3)
        }
    }

    @Test
    func `CSAPI 9, an unknown or wrong state of the network prevents no request, and a failure says offline`()
        async throws
    {
        let port = try LoopbackPort(.refusing)
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(1) }
            let node = service.manager.request(User.self).endpoint("/user")
            let probe = service.manager.reachability(of: .main)
            #expect(probe.state == .unknown)
            #expect(try await node.send() == User(id: 1))
            #expect(try await probe.check(timeout: .seconds(3_600)) == .reachable)

            service.manager.servers[.main] = Server("http://127.0.0.1:\(port.number)")
            let gone = service.manager.reachability(of: .main)
            #expect(try await gone.check() == .unreachable)
            let calls = Recorder<String>()
            await node.onError(of: .network) { _ in calls.record("offline") }.onError { calls.record("\($0)") }.resume()
                .finished()
            #expect(calls.elements == ["offline"])

            service.connect(service.manager)
            #expect(gone.state == .unreachable)
            #expect(try await node.send() == User(id: 1))
        }
    }

    @Test
    func `CSAPI 17, another cache tool takes the place of the library's`() async throws {
        let shelf = Shelf()
        let clock = Recorder<Void>()
        try await Service.with { configuration in
            configuration.cacheBackend = shelf
            configuration.now = { Date(timeIntervalSince1970: 2_000_000_000 + Double(clock.count) * 60) }
        } _: { service async throws in
            service.server.onAny { request in User.response(request.number) }
            let node = service.manager.request(User.self).endpoint("/user")
                .cache(.elseNetwork().storing(for: .seconds(90)))
            #expect(try await [node.send().id, node.send().id] == [1, 1])
            #expect(await shelf.count == 1)
            for _ in 0..<2 { clock.record(()) }
            #expect(try await node.send().id == 2)
            #expect(await shelf.count == 1)
        }
    }

    @Test
    func `CSAPI 17, a cache tool that fails is told of, and calls go on without it`() async throws {
        try await Service.with {
            $0.cacheBackend = Shelf(isBroken: true)
        } _: { service async throws in
            service.server.onAny { request in User.response(request.number) }
            let log = EventRecorder(service.manager)
            let node = service.manager.request(User.self).endpoint("/user").cache(.elseNetwork())
            #expect(try await [node.send().id, node.send().id] == [1, 2])
            #expect(log.events.contains { $0.kind.name == .cacheFailed })
            #expect(log.count(of: .callSucceeded) == 2)
        }
    }

    @Test
    func `a handler may look at a failed response and send again`() async throws {
        struct Second: Interceptor {
            func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
                let response = try await next(request)
                return response.status == .conflict ? try await next(request) : response
            }
        }
        try await Service.with { service async throws in
            service.server.onAny { request in request.number == 1 ? .status(409) : User.response(1) }
            let node = service.manager.request(User.self).endpoint("/a").interceptors(Second())
            #expect(try await node.send() == User(id: 1))
        }
    }
}
