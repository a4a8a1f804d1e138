// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import TestSupport
import Testing

@testable import RestClient

/// Values of files that others may have written: they are refused, or can be used.
@Suite(.timeLimit(.minutes(5)))
struct StoredExtremesTests {
    private static func each<Value: Decodable>(
        _ type: Value.Type,
        in marked: String,
        _ use: (Value) async throws -> Void
    ) async throws {
        let texts = ExtremeJSON.variants(of: marked) + ExtremeJSON.mixtures(of: marked, count: 300, seed: 5)
        for text in [ExtremeJSON.plain(marked)] + texts {
            if let value = try? JSONDecoder().decode(type, from: Data(text.utf8)) {
                try await use(value)
            }
        }
        #expect((try? JSONDecoder().decode(type, from: Data(ExtremeJSON.plain(marked).utf8))) != nil)
    }

    @Test
    func `the state of a download may say anything`() async throws {
        let marked = """
            {"version":§1§,"source":§"a"§,"validator":§"\\"v\\""§,"total":§100§,"received":§[0,5,7,9]§,
            "digest":{"algorithm":§"sha-256"§,"value":§"AAAA"§}}
            """
        try await Self.each(DownloadState.self, in: marked) { state throws in
            #expect(state.received.count >= state.received.prefixCount)
            #expect(!state.isComplete || (state.total ?? 0) <= state.received.prefixCount)
            for length in [0, 1, 100, Int64.max] {
                let left = state.limited(to: length, of: "a")
                #expect(left.received.ranges.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= length })
                var machine = DownloadStateMachine(state: left)
                _ = machine.start()
                #expect(try JSONDecoder().decode(DownloadState.self, from: JSONEncoder().encode(left)) == left)
            }
        }
    }

    @Test
    func `the pace of all processes may say anything`() async throws {
        let marked = """
            {"due":§0§,"written":§1§,"starts":{"instants":§[1,2]§,"counts":§[1,1]§},
            "terms":{"isWindow":§true§,"interval":§60§,"count":§2§}}
            """
        let limits: [RateLimit] = [
            .count(2, per: .seconds(60), burst: 2), .window(2, per: .seconds(60)), .perSecond(1),
        ]
        try await Self.each(SharedPace.self, in: marked) { pace in
            for limit in limits {
                for now in [-1e300, 0, 1_800_000_000, 1e300] {
                    var pace = pace
                    _ = pace.take(limit, patience: .seconds(1), at: now)
                    _ = pace.take(limit, patience: nil, at: now)
                }
            }
        }
    }

    @Test
    func `a stored token may say anything`() async throws {
        let marked = """
            {"value":§"t"§,"expiresAt":§800000000§,"refreshToken":§"r"§,"user":§"u"§}
            """
        let client = StubbedClient(answering: .status(.ok))
        try await Self.each(AccessToken.self, in: marked) { token async throws in
            for seconds in [-1e300, 0, 1_800_000_000, 1e300] {
                let now = Date(timeIntervalSince1970: seconds)
                var machine = TokenRefreshStateMachine(token, leeway: .seconds(30))
                _ = machine.usable(refusing: nil, now: now)
                _ = machine.replace(with: token, known: now)
                _ = machine.adopt(token, now: now)
                _ = machine.ask(as: 1, refusing: token.value, now: now)
                _ = machine.finish(token, now: now)
                _ = machine.ask(as: 2, refusing: nil, now: now + 1)
                _ = machine.fail(now: now)
            }
            let source = TokenSource(token) { _ in AccessToken("fresh", expiresAt: token.expiresAt) }
            source.current = token
            _ = try? await client.manager.request(Void.self).endpoint("/a").bearer(source).cache().send()
            #expect(!token.description.contains(token.value) || token.value.utf8.count < 20)
            #expect(try JSONDecoder().decode(AccessToken.self, from: JSONEncoder().encode(token)) == token)
        }
    }

    @Test
    func `a stored cookie may say anything`() async throws {
        let marked = """
            {"name":§"a"§,"value":§"b"§,"domain":§"api.example.com"§,"path":§"/"§,"expires":§4000000000§,
            "isSecure":§true§,"isHostOnly":§true§}
            """
        try await Self.each(Cookie.self, in: marked) { cookie throws in
            _ = cookie.description
            let jar = CookieJar([cookie])
            jar.set(cookie)
            for url in ["https://api.example.com/v1/a", "http://127.0.0.1/", "http://localhost/a/"] {
                jar.take(["b=c; Path=/", "d=e; Max-Age=-9223372036854775808"], from: url)
                _ = try? jar.field(for: url)
            }
            #expect((3...4).contains(jar.cookies.count))
            #expect(try JSONDecoder().decode(Cookie.self, from: JSONEncoder().encode(cookie)) == cookie)
        }
    }

    @Test(arguments: ["offset", "number", "cursor", "url"])
    func `a stored position may say anything`(kind: String) async throws {
        let values = [
            "offset": "7", "number": "2", "cursor": #""c""#, "url": #""https://api.example.com/v1/list?c=2""#,
        ]
        let marked = """
            {"position":{"\(kind)":§\(values[kind] ?? "")§},"pageCount":§1§,"itemCount":§50§}
            """
        let rules: [PageRule<[Int]>] = [
            .offset().size(50, as: "n"), .number().size(50, as: "n").limit(3), .cursor { _ in "d" as String? }, .link,
        ]
        let client = StubbedClient(answering: .text("[1]"))
        try await Self.each(PagingState.self, in: marked) { state in
            _ = state.description
            for rule in rules {
                let count = client.requests.count
                let pages = client.manager.request([Int].self).endpoint("/list").pages(rule)
                guard let pager = try? pages.starting(from: state).pager() else {
                    continue
                }
                for _ in 0..<2 {
                    _ = try? await pager.moveNext()
                }
                _ = (pager.canMoveNext, pager.position.description)
                #expect(client.requests.count - count <= 2)
            }
        }
    }
}
