// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// The documented examples of Surf's network layer: CoreNetKit, and NodeKit after it.
@Suite(.timeLimit(.minutes(5)))
struct SurfTests {
    /// A policy of CoreNetKit, and what it delivers.
    struct Policy: Sendable, CustomTestStringConvertible {
        let name: String
        let policy: CachePolicy
        /// With nothing stored, and with a stored user 1; the server has user 2.
        let cold: [Int]
        let warm: [Int]
        /// With a stored user 1, when the server is down.
        let down: [Int]

        var testDescription: String { name }

        static let all = [
            Policy(name: "serverOnly", policy: .networkOnly, cold: [2], warm: [2], down: []),
            Policy(name: "cacheOnly", policy: .cacheOnly(), cold: [], warm: [1], down: [1]),
            Policy(name: "firstCacheThenRefreshFromServer", policy: .thenNetwork, cold: [2], warm: [1, 2], down: [1]),
            Policy(name: "serverIfFailReadFromCache", policy: .networkElseCache(), cold: [2], warm: [2], down: [1]),
        ]
    }

    @Test(arguments: Policy.all)
    func `each cache policy delivers what it promises, and always ends`(policy: Policy) async throws {
        try await Service.with { service async throws in
            let isDown = Mutex(false)
            service.server.onAny { _ in isDown.withLock { $0 } ? .status(503) : User.response(2) }
            let node = service.manager.request(User.self).endpoint("/user").cache(policy.policy)
            func delivered() async -> [Int] {
                var ids: [Int] = []
                do {
                    for try await response in node.responses() {
                        ids.append(response.model.id)
                    }
                } catch {
                    #expect(error is RestClientError)
                }
                return ids
            }
            #expect(await delivered() == policy.cold)
            try await service.manager.cache.store(User(id: 1), for: node)
            #expect(await delivered() == policy.warm)
            try await service.manager.cache.store(User(id: 1), for: node)
            isDown.withLock { $0 = true }
            #expect(await delivered() == policy.down)
        }
    }

    @Test
    func `an error mapper is asked first, and the refusal of a token is seen all the same`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { request in
                request.headers["Authorization"] == "Bearer new"
                    ? User.response(1)
                    : .json(#"{"message": "who?"}"#, status: 401)
            }
            let manager = service.manager
            manager.options = manager.options.mapError { error in
                if let problem = error.decodedBody(as: Problem.self) { problem } else { error }
            }
            let session = TokenSource(AccessToken("old")) { _ in AccessToken("new") }
            let node = manager.request(User.self).endpoint("/user")
            #expect(try await node.bearer(session).send() == User(id: 1))
            await #expect(throws: Problem(message: "who?")) { try await node.bearer("wrong").send() }
            // The same in fewer words, and at a level of its own.
            manager.options = CallOptions()
            manager.servers[.main] = Server(service.server.url).mapError(to: Problem.self)
            await #expect(throws: Problem(message: "who?")) { try await node.bearer("wrong").send() }
            service.server.onAny { _ in .text("no JSON", status: 418) }
            let error = await #expect(throws: RestClientError.self) { try await node.bearer("wrong").send() }
            #expect(error?.status?.code == 418)
        }
    }

    @Test
    func `a token is refreshed once for all that wait, and each request is sent once more`() async throws {
        try await Service.with { service async throws in
            let refreshes = Counter()
            service.server.onAny { request in
                request.headers["Authorization"] == "Bearer t1" ? User.response(1) : .status(401)
            }
            let session = TokenSource(AccessToken("t0")) { _ in
                AccessToken("t\(refreshes.next())")
            }
            service.manager.servers[.main] = Server(service.server.url).bearer(session)
            try await withThrowingTaskGroup(of: User.self) { group in
                for id in 1...10 {
                    group.addTask {
                        try await service.manager.request(User.self).endpoint("/{id}").parameter("id", id).send()
                    }
                }
                for try await user in group {
                    #expect(user == User(id: 1))
                }
            }
            #expect(refreshes.count == 1)
            for id in 1...10 {
                #expect((1...2).contains(service.paths.count { $0 == "/\(id)" }))
            }
        }
    }

    @Test
    func `pages are loaded one by one, from the items received on, and a position is kept and gone back to`()
        async throws
    {
        try await Service.with { service async throws in
            service.server.on(.get, "/list") { request in
                let items = Dictionary(uniqueKeysWithValues: request.queryItems)
                let start = Int(items["start"] ?? "") ?? 0
                return .json("\(Array((0..<5).dropFirst(start).prefix(Int(items["count"] ?? "") ?? 0)))")
            }
            let pager = service.manager.request([Int].self).endpoint("/list")
                .pages(.offset("start").size(2, as: "count")).pager()
            #expect(pager.canMoveNext)
            #expect(try await pager.moveNext()?.items == [0, 1])
            let position = pager.position
            #expect(try await pager.moveNext()?.items == [2, 3])
            #expect(try await pager.moveNext()?.items == [4])
            #expect(!pager.canMoveNext)
            let kept = try JSONDecoder().decode(PagingState.self, from: JSONEncoder().encode(position))
            try pager.restore(kept)
            #expect(try await pager.moveNext()?.items == [2, 3])
            pager.reset()
            #expect(try await pager.moveNext()?.items == [0, 1])
        }
    }

    @Test
    func `a chain of layers is a call with options: a route, a form, a query and header fields for each attempt`()
        async throws
    {
        struct Draft: Codable, Sendable {
            var title: String
        }
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(3) }
            let user = try await service.manager.request(User.self).post().endpoint("/users").dogma(.form)
                .body(Draft(title: "a b")).query(["z": 1, "a": 2]).header(.acceptLanguage) { "t" }.send()
            let request = try #require(service.server.requests.first)
            #expect(user == User(id: 3))
            #expect(request.text == "title=a+b" || request.text == "title=a%20b")
            #expect(request.query == "z=1&a=2")
            #expect(request.headers["Accept-Language"] == "t")
        }
    }

    @Test
    func `nodes combine: both are needed, or one may fail`() async throws {
        try await Service.with { service async throws in
            service.server.on(.get, "/user") { _ in User.response(1) }
            let user = service.manager.request(User.self).endpoint("/user")
            let none = service.manager.request(User.self).endpoint("/none")
            let (first, second) = try await service.manager.concurrently(user, user)
            #expect(first == second)
            await #expect(throws: RestClientError.self) { try await service.manager.concurrently(user, none) }
            let tolerant = await service.manager.concurrently([user, none])
            #expect(tolerant[0].value == User(id: 1))
            #expect(tolerant[1].error != nil)
        }
    }

    @Test
    func `a model of the server's is made one of the program's`() async throws {
        struct Name: Sendable, Equatable {
            let text: String
        }
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(1) }
            let node = RequestNode(Name.self) { response in
                Name(text: try JSONDecoder().decode(User.self, from: response.body).name.uppercased())
            }
            #expect(try await service.manager.request(node).endpoint("/user").send() == Name(text: "KIM"))
        }
    }

    @Test
    func `Surf 25, what the dogma decodes is mapped, for a call, for the cache and for a chain`() async throws {
        struct Name: Sendable, Equatable {
            let text: String
        }
        try await Service.with { service async throws in
            let names = APIAlias<Name>("name")
            service.manager.apis[names] = API(.get, "/user").coding(keys: .snakeCase).cache(.elseNetwork())
            service.server.on(.get, "/user") { _ in User.response(1) }
            let node = service.manager
                .request(RequestNode(names, from: User.self) { Name(text: $0.name.uppercased()) })
            let fresh = try await node.response()
            let stored = try await node.response()
            #expect([fresh.model, stored.model] == [Name(text: "KIM"), Name(text: "KIM")])
            #expect(stored.source.isCache)
            let (name, count) = try await service.manager.serially(
                node,
                LocalJob("count") { previous in try previous.value(as: Name.self).text.count }
            )
            #expect(name.text.count == count)
            let throwing = RequestNode(Name.self, from: User.self) { _ in throw Problem(message: "no") }
            let failing = service.manager.request(throwing)
            let error = await #expect(throws: RestClientError.self) { try await failing.endpoint("/user").send() }
            #expect(error?.code == .decodingFailed)
            #expect(error?.underlying as? Problem == Problem(message: "no"))
        }
    }

    @Test
    func `a file is uploaded with its type, and its name as it is`() async throws {
        try await Service.with { service async throws in
            service.server.onAny { _ in User.response(1) }
            let directory = try TemporaryDirectory()
            let file = directory.path("Grüße.png")
            try Data("bytes".utf8).write(to: file)
            let form = MultipartForm().field("title", "a").file("photo", file.path)
            _ = try await service.manager.request(User.self).post().endpoint("/photos").body(.multipart(form)).send()
            let text = try #require(service.server.requests.first).text
            #expect(text.contains("name=\"photo\"; filename=\"Grüße.png\"\r\nContent-Type: image/png\r\n\r\nbytes\r\n"))
        }
    }
}
