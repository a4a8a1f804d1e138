// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Calls that leave it to the rules of HTTP.
@Suite(.timeLimit(.minutes(5)))
struct HTTPCallTests {
    private let wall = WallClock()

    private func client(
        configure: (inout RestClientManager.Configuration) -> Void = { _ in },
        _ answer: @escaping StubTransport.Handler
    ) -> StubbedClient {
        let wall = wall
        return StubbedClient(StubTransport(answer)) { configuration in
            configuration.now = { wall.now }
            configure(&configuration)
        }
    }

    /// A client whose server counts: every response is another number.
    private func counting(_ headers: HTTPFields, _ status: HTTPResponse.Status = .ok) -> StubbedClient {
        let counter = Counter()
        return client { _ in .text("\(counter.next())", status, headers: headers) }
    }

    private func call(_ client: StubbedClient, _ path: PathTemplate = "/a") -> RequestNode<Int> {
        client.manager.request(Int.self).endpoint(path).cache()
    }

    // MARK: - Fresh and stale

    @Test
    func `a call that asks for caching and says no more follows the rules of HTTP`() async throws {
        let client = counting([.cacheControl: "max-age=60", .eTag: #""1""#])
        let first = try await call(client).response()
        wall.advance(by: 59)
        let second = try await call(client).response()
        #expect(first.cache.description == "absent, fetched from the server; stored")
        #expect(first.cache.cacheStatus == "RestClient; fwd=uri-miss; fwd-status=200; stored")
        #expect(second.model == 1)
        #expect(second.source == .cache(age: .seconds(59)))
        #expect(second.headers[.age] == "59")
        #expect(second.cache.outcome == .fresh)
        #expect(second.cache.cacheStatus == "RestClient; hit; ttl=1")
        #expect(client.requests.count == 1)
    }

    @Test
    func `a stale response is confirmed, and what the 304 says is kept`() async throws {
        let client = client { request in
            request.headers.contains(.ifNoneMatch)
                ? .status(.notModified, headers: [.cacheControl: "max-age=600", .contentLanguage: "ko"])
                : .text("1", headers: [.cacheControl: "max-age=60", .eTag: #""1""#, .contentType: "text/plain"])
        }
        _ = try await call(client).send()
        wall.advance(by: 60)
        let confirmed = try await call(client).response()
        wall.advance(by: 599)
        let hit = try await call(client).response()
        #expect(confirmed.source == .revalidatedCache)
        #expect(confirmed.cache.outcome == .confirmed(.stale))
        #expect(confirmed.cache.storing == .updated)
        #expect(confirmed.cache.cacheStatus == "RestClient; fwd=stale; fwd-status=304; ttl=600; stored")
        #expect(hit.source == .cache(age: .seconds(599)))
        #expect(hit.headers[.contentLanguage] == "ko")
        #expect(hit.headers[.contentType] == "text/plain")
        #expect(client.requests.count == 2)
    }

    @Test
    func `a 304 that means another state is asked for whole`() async throws {
        let client = client { request in
            request.headers.contains(.ifNoneMatch)
                ? .status(.notModified, headers: [.eTag: #""other""#])
                : .text("1", headers: [.cacheControl: "no-cache", .eTag: #""1""#])
        }
        _ = try await call(client).send()
        #expect(try await call(client).response().source == .network)
        #expect(client.requests.map { $0.headers[.ifNoneMatch] } == [nil, #""1""#, nil])
    }

    @Test
    func `a response without a word of caching is stored, and asked for each time`() async throws {
        let client = counting([:])
        #expect(try await call(client).send() == 1)
        #expect(try await call(client).send() == 2)
        #expect(try await call(client).cache(.cacheOnly()).send() == 2)
    }

    @Test
    func `an error that the call accepts is stored where the server says for how long`() async throws {
        let client = counting([.cacheControl: "max-age=60"], .notFound)
        #expect(try await call(client).accepting(.any).send() == 1)
        let hit = try await call(client).accepting(.any).response()
        #expect(hit.model == 1)
        #expect(hit.status == .notFound)
        let error = await #expect(throws: RestClientError.self) { try await call(client).send() }
        #expect(error?.status == .notFound)
        #expect(client.requests.count == 2)
    }

    @Test
    func `a call that only the cache may serve is 504 when it cannot`() async throws {
        let client = counting([.cacheControl: "max-age=60"])
        let node = call(client).header(.cacheControl, "only-if-cached")
        let error = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(error?.code == .notCached)
        let bytes = client.manager.request().endpoint("/a").dogma(.json).cache()
            .header(.cacheControl, "only-if-cached").accepting(.any)
        let response = try await bytes.response()
        #expect(response.status == .gatewayTimeout)
        #expect(response.cache.outcome == .refused(.absent))
        #expect(client.requests.isEmpty)
        _ = try await call(client).send()
        #expect(try await node.send() == 1)
    }

    @Test
    func `one's own time to live stands in the place of what the server says`() async throws {
        let client = counting([.cacheControl: "no-store, max-age=0"])
        let node = call(client).cache(.http.storing(for: .seconds(60)).storingDespiteNoStore())
        #expect(try await node.send() == 1)
        wall.advance(by: 59)
        #expect(try await node.send() == 1)
        wall.advance(by: 1)
        #expect(try await node.send() == 2)
    }

    @Test
    func `to revalidate asks each time, and delivers what is stored when it is the same`() async throws {
        let client = client { request in
            request.headers.contains(.ifNoneMatch)
                ? .status(.notModified) : .text("1", headers: [.cacheControl: "max-age=60", .eTag: #""1""#])
        }
        let node = call(client).cache(.revalidate)
        _ = try await node.send()
        #expect(try await node.response().cache.outcome == .confirmed(.requested))
        #expect(client.requests.count == 2)
    }

    // MARK: - When the server fails

    @Test(arguments: [true, false])
    func `a stale response stands in where the server allows it`(failsByStatus: Bool) async throws {
        let counter = Counter()
        let client = client { _ in
            guard counter.next() > 1 else {
                return .text("1", headers: [.cacheControl: "max-age=10, stale-if-error=60"])
            }
            guard failsByStatus else {
                throw RestClientError(.connectionFailed, "no way")
            }
            return .status(.serviceUnavailable)
        }
        _ = try await call(client).send()
        wall.advance(by: 70)
        let response = try await call(client).response()
        #expect(response.model == 1)
        #expect(response.cache.outcome == .stale(.onFailure))
        #expect(response.cache.forwardedStatus == (failsByStatus ? 503 : nil))
        wall.advance(by: 1)
        let error = await #expect(throws: RestClientError.self) { try await call(client).send() }
        #expect(error?.code == (failsByStatus ? .unacceptableStatus : .connectionFailed))
    }

    @Test
    func `a stale response stands in for a server that cannot be reached, unless that is forbidden`() async throws {
        let counter = Counter()
        let client = client { _ in
            guard counter.next() > 1 else {
                return .text("1", headers: [.cacheControl: "max-age=10"])
            }
            throw RestClientError(counter.value == 2 ? .hostNotFound : .timeout, "no way")
        }
        _ = try await call(client).send()
        wall.advance(by: 1_000)
        let response = try await call(client).response()
        #expect(response.cache.outcome == .stale(.onFailure))
        #expect(response.headers[.age] == "1000")
        let error = await #expect(throws: RestClientError.self) { try await call(client).send() }
        #expect(error?.code == .timeout)
    }

    @Test(arguments: ["must-revalidate", "no-cache"])
    func `what must be confirmed and cannot be is an error, or 504 for who accepts that`(directive: String) async throws
    {
        let counter = Counter()
        let client = client { _ in
            guard counter.next() > 1 else {
                return .text("1", headers: [.cacheControl: "max-age=10, \(directive)"])
            }
            throw RestClientError(.connectionClosed, "cut")
        }
        _ = try await call(client).send()
        wall.advance(by: 11)
        let error = await #expect(throws: RestClientError.self) { try await call(client).send() }
        #expect(error?.code == .connectionClosed)
        let bytes = client.manager.request().endpoint("/a").cache().accepting(.any)
        #expect(try await bytes.response().status == .gatewayTimeout)
    }

    // MARK: - Varying responses

    @Test
    func `responses that differ by a field of the request lie side by side`() async throws {
        let counter = Counter()
        let foo = try #require(HTTPField.Name("Foo"))
        let client = client { request in
            let headers: HTTPFields = [.cacheControl: "max-age=60", .vary: "Foo"]
            return .text("\(counter.next() * 10 + (Int(request.headers[foo] ?? "0") ?? 0))", headers: headers)
        }
        #expect(try await call(client).header(foo, "1").send() == 11)
        let other = try await call(client).header(foo, "2").response()
        #expect(other.model == 22)
        #expect(other.cache.outcome == .forwarded(.variant))
        #expect(try await call(client).send() == 30)
        #expect(try await call(client).header(foo, "1").send() == 11)
        #expect(try await call(client).header(foo, "2").send() == 22)
        #expect(try await call(client).send() == 30)
        #expect(client.requests.count == 3)
        #expect(try await client.manager.cache.remove(call(client)))
        #expect(try await call(client).header(foo, "2").send() == 42)
    }

    @Test
    func `a field that a provider gives counts as well`() async throws {
        let counter = Counter()
        let foo = try #require(HTTPField.Name("Foo"))
        let client = client { _ in
            .text("\(counter.next())", headers: [.cacheControl: "max-age=60", .vary: "Foo"])
        }
        let wall = wall
        client.manager.options = client.manager.options.header(foo) { "\(Int(wall.now.timeIntervalSince1970) / 10)" }
        #expect(try await [call(client).send(), call(client).send()] == [1, 1])
        wall.advance(by: 10)
        #expect(try await call(client).send() == 2)
    }

    // MARK: - Changes

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func `what a call changes is asked for again, whoever stored it`(method: HTTPRequest.Method) async throws {
        let counter = Counter()
        let client = client { request in
            request.method == .get
                ? .text("\(counter.next())", headers: [.cacheControl: "max-age=60"])
                : .status(.noContent, headers: [.location: "/v1/b"])
        }
        let kim = call(client).bearer("kim")
        #expect(
            try await [kim.send(), call(client).send(), call(client, "/b").send(), call(client, "/c").send()] == [
                1, 2, 3, 4,
            ]
        )
        let log = EventRecorder(client.manager)
        try await client.manager.run(client.manager.request(Void.self).method(method).endpoint("/a"))
        #expect(log.lines.contains("cacheInvalidated"))
        #expect(
            try await [kim.send(), call(client).send(), call(client, "/b").send(), call(client, "/c").send()] == [
                5, 6, 7, 4,
            ]
        )
    }

    @Test
    func `a change that failed changed nothing`() async throws {
        let counter = Counter()
        let client = client { request in
            request.method == .get
                ? .text("\(counter.next())", headers: [.cacheControl: "max-age=60"]) : .status(.internalServerError)
        }
        _ = try await call(client).send()
        let change = client.manager.request(Void.self).post().endpoint("/a")
        await #expect(throws: RestClientError.self) { try await client.manager.run(change) }
        #expect(try await call(client).send() == 1)
    }

    @Test
    func `a response that was under way while the resource changed is not stored`() async throws {
        let gate = Gate()
        let counter = Counter()
        let client = client { request in
            guard request.method == .get else {
                return .status(.noContent)
            }
            let number = counter.next()
            if number == 2 {
                try await gate.wait()
            }
            return .text("\(number)", headers: [.cacheControl: "max-age=60"])
        }
        _ = try await call(client, "/b").send()
        let reading = Task { try await call(client).response() }
        try await gate.waitForWaiters(count: 1)
        try await client.manager.run(client.manager.request(Void.self).put().endpoint("/a"))
        gate.open()
        let read = try await reading.value
        #expect(read.model == 2)
        #expect(read.cache.storing == .left(.invalidated))
        #expect(try await call(client).send() == 3)
    }

    /// Found by `Scripts/simulate --seed 572`.
    @Test(arguments: [true, false])
    func `the first response of all is not stored if the resource changed under way`(
        changeBeginsFirst: Bool
    ) async throws {
        let (reads, changes) = (Gate(), Gate())
        let counter = Counter()
        let client = client { request in
            guard request.method == .get else {
                try await changes.wait()
                return .status(.noContent)
            }
            let number = counter.next()
            try await reads.wait()
            return .text("\(number)", headers: [.cacheControl: "max-age=60"])
        }
        func change() -> Task<Void, any Error> {
            Task { try await client.manager.run(client.manager.request(Void.self).put().endpoint("/a")) }
        }

        var changing: Task<Void, any Error>?
        if changeBeginsFirst {
            changing = change()
            try await changes.waitForWaiters(count: 1)
        }
        let reading = Task { try await call(client).response() }
        try await reads.waitForWaiters(count: 1)
        let last = changing ?? change()
        changes.open()
        try await last.value
        reads.open()

        #expect(try await reading.value.cache.storing == .left(.invalidated))
        #expect(try await call(client).send() == 2)
    }

    @Test
    func `the response to a POST that names its own URL serves a GET of it`() async throws {
        let counter = Counter()
        let client = client { _ in
            .text("\(counter.next())", headers: [.cacheControl: "max-age=60", .contentLocation: "/v1/a"])
        }
        #expect(try await call(client).post().send() == 1)
        #expect(try await call(client).send() == 1)
        #expect(try await call(client).post().send() == 2)
        #expect(try await call(client).send() == 2)
    }

    @Test(arguments: [("/v1/a", true), ("/v1/b", false), ("https://other.example/v1/a", false)])
    func `the response to a PUT that is its new state serves a GET once the server has confirmed it`(
        location: String,
        isState: Bool
    ) async throws {
        let client = client { request in
            guard request.method == .get else {
                return .text("2", .created, headers: [.eTag: "\"2\"", .contentLocation: location])
            }
            guard request.headers[.ifNoneMatch] != "\"2\"" else {
                return .status(.notModified, headers: [.eTag: "\"2\"", .cacheControl: "max-age=60"])
            }
            return .text("3", headers: [.cacheControl: "max-age=60"])
        }
        #expect(try await call(client).put().send() == 2)

        let read = try await call(client).response()

        #expect(read.model == (isState ? 2 : 3))
        #expect(read.source == (isState ? .revalidatedCache : .network))
        #expect(read.status == .ok)
        #expect(try await call(client).response().source.isCache)
    }

    @Test
    func `a POST that reads is stored by its body, and changes nothing`() async throws {
        let client = counting([.cacheControl: "max-age=60"])
        let policy = CachePolicy.http.keyedByBody(ignoring: ["id"])
        func query(_ text: String, _ id: Int) -> RequestNode<Int> {
            call(client).post().values(["query": text, "id": id]).cache(policy)
        }
        #expect(try await [query("a", 1).send(), query("a", 2).send(), query("b", 1).send()] == [1, 1, 2])
        #expect(try await query("a", 3).send() == 1)
    }

    // MARK: - HEAD and parts

    @Test
    func `a stored response to a GET serves a HEAD, and a HEAD brings it up to date`() async throws {
        let client = client { request in
            let headers: HTTPFields = [
                .cacheControl: request.method == .head ? "max-age=600" : "max-age=60", .eTag: #""1""#,
            ]
            return request.method == .head ? .status(.ok, headers: headers) : .text("1", headers: headers)
        }
        _ = try await call(client).send()
        let head = client.manager.request(Void.self).head().endpoint("/a").dogma(.json).cache()
        let hit = try await head.response()
        #expect(hit.source.isCache)
        #expect(hit.body.isEmpty)
        wall.advance(by: 61)
        #expect(try await head.response().source == .network)
        wall.advance(by: 590)
        #expect(try await call(client).response().source.isCache)
        #expect(client.requests.map(\.method) == [.get, .head])
    }

    @Test
    func `a HEAD that shows another state makes the stored response untrue`() async throws {
        let client = client { request in
            let tag = request.method == .head ? #""2""# : #""1""#
            return .text(request.method == .head ? "" : "1", headers: [.cacheControl: "max-age=60", .eTag: tag])
        }
        _ = try await call(client).send()
        wall.advance(by: 60)
        _ = try await client.manager.request(Void.self).head().endpoint("/a").dogma(.json).cache().send()
        wall.advance(by: -30)
        #expect(try await call(client).response().cache.outcome == .forwarded(.invalidated))
    }

    @Test
    func `parts are taken from a whole, and put together to one`() async throws {
        let whole = Data("0123456789".utf8)
        let client = client { request in
            let headers: HTTPFields = [.cacheControl: "max-age=60", .eTag: #""1""#]
            guard case .one(let range) = ByteRange.demand(.get, request.headers),
                let positions = range.positions(of: whole.count)
            else {
                return RawResponse(headers: headers, body: whole)
            }
            var part = headers
            part[.contentRange] = HeldBytes(positions: positions, length: whole.count).contentRange(of: positions)
            return RawResponse(status: .partialContent, headers: part, body: Data(whole[positions]))
        }
        func node(_ range: String?) -> RequestNode<Data> {
            let node = client.manager.request().endpoint("/a").cache()
            return range.map { node.header(.range, $0) } ?? node
        }
        let first = try await node("bytes=0-4").response()
        #expect(first.status == .partialContent)
        let slice = try await node("bytes=1-2").response()
        #expect(slice.status == .partialContent)
        #expect(slice.body == Data("12".utf8))
        #expect(slice.headers[.contentRange] == "bytes 1-2/10")
        #expect(slice.source.isCache)

        let completed = try await node(nil).response()
        #expect(completed.status == .ok)
        #expect(completed.body == whole)
        #expect(completed.headers[.contentRange] == nil)
        #expect(client.requests.last?.headers[.range] == "bytes=5-")
        #expect(client.requests.last?.headers[.ifRange] == #""1""#)

        #expect(try await node(nil).response().source.isCache)
        #expect(try await node("bytes=-3").response().body == Data("789".utf8))
        #expect(client.requests.count == 2)
    }

    // MARK: - Redirects

    @Test
    func `a response behind redirects is stored for as long as the redirect holds`() async throws {
        let client = client { request in
            request.url.hasSuffix("/b")
                ? .text("1", headers: [.cacheControl: "max-age=600"])
                : RawResponse(status: .found, headers: [.location: "/b", .cacheControl: "max-age=10"])
        }
        _ = try await call(client).send()
        wall.advance(by: 9)
        #expect(try await call(client).response().source.isCache)
        wall.advance(by: 1)
        #expect(try await call(client).response().source == .network)
    }

    @Test
    func `a response behind a redirect that must not be reused is not stored`() async throws {
        let client = client { request in
            request.url.hasSuffix("/b") ? .text("1", headers: [.cacheControl: "max-age=600"]) : .redirect(302, to: "/b")
        }
        let response = try await call(client).response()
        #expect(response.cache.storing == .left(.redirect))
        #expect(try await call(client).response().source == .network)
    }
}
