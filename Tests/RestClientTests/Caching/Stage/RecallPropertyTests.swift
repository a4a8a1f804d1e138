// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import TestSupport
import Testing

@testable import RestClient

/// The fast path of a hit and the path through all stages always have the same result.
@Suite(.timeLimit(.minutes(10)))
struct RecallPropertyTests {
    /// A manager with a server whose responses follow from the number of the request alone.
    private struct Side {
        let client: StubbedClient
        /// True if every call passes all stages: an option of the user's own cannot be compared.
        let isSlow: Bool

        init(_ wall: WallClock, isSlow: Bool) {
            let numbers = Counter()
            client = StubbedClient(
                StubTransport { request in
                    var random = SeededGenerator(seed: UInt64(numbers.next()))
                    return RecallPropertyTests.response(to: request, wall.now, &random)
                }
            ) { $0.now = { wall.now } }
            self.isSlow = isSlow
            for (name, headers) in RecallPropertyTests.headers {
                client.manager.apis[APIAlias<String>(rawValue: name)] = API(.get, "/{item}").headers(headers)
            }
        }

        func node(_ call: Call) -> RequestNode<String> {
            var node = client.manager.request(APIAlias<String>(rawValue: call.api)).parameter("item", call.item)
                .accepting([.ok, .notModified, .partialContent, .gatewayTimeout, .notFound])
            if let policy = call.policy {
                node = node.cache(policy)
            }
            if let page = call.page {
                node = node.query("page", page)
            }
            return isSlow ? node.option(CallOptionKey<Int>("slow"), 1) : node
        }

        /// Sends a call; returns everything that can be known of it.
        func send(_ call: Call) async -> [String] {
            let events = Recorder<(call: CallID, name: String)>()
            let observation = client.manager.observe { event in
                if let call = event.callID {
                    events.record((call, event.kind.name.rawValue))
                }
            }
            // The call began first; others refresh responses in the background, whenever they come to it.
            func told() -> String {
                let first = events.elements.map(\.call).min()
                return events.elements.filter { $0.call == first }.map(\.name).joined(separator: "; ")
            }
            defer { withExtendedLifetime(observation) {} }
            do {
                let response = try await node(call).response()
                await client.manager.cache.revalidationsFinished()
                let (raw, cache) = (response.raw, response.cache)
                return [
                    response.model, "\(raw.status)", "\(raw.headers)", "\(raw.source)", raw.url ?? "-",
                    "\(cache.outcome) \(cache.storing) \(cache.age as Any) \(cache.lifetime as Any)",
                    "\(response.attempts)", told(), "\(client.requests.count)",
                ]
            } catch {
                let code = (error as? RestClientError)?.code
                return ["\(code as Any)", told(), "\(client.requests.count)"]
            }
        }
    }

    /// A call of one of the operations.
    private struct Call: CustomStringConvertible {
        let api: String
        let item: String
        let page: Int?
        let policy: CachePolicy?

        var description: String { "\(api) \(item) \(page as Any) \(policy.map { "\($0.mode)" } ?? "-")" }

        init(_ random: inout SeededGenerator, _ usual: CachePolicy) {
            // Texts that Swift takes for equal, and that are different URLs.
            item = ["a", "a", "a", "\u{e9}", "e\u{301}"].randomElement(using: &random) ?? ""
            page = [nil, nil, nil, nil, 1].randomElement(using: &random) ?? nil
            // Most calls are made again, so that there is something to recall.
            let isUsual = Int.random(in: 0...9, using: &random) < 6
            api = isUsual ? "plain" : RecallPropertyTests.headers.randomElement(using: &random)?.name ?? ""
            policy = isUsual ? usual : RecallPropertyTests.policies.randomElement(using: &random) ?? nil
        }
    }

    private static let headers: [(name: String, fields: HTTPFields)] = [
        ("plain", [:]), ("plain too", [:]), ("german", [.acceptLanguage: "de"]),
        ("young", [.cacheControl: "max-age=5"]),
        ("patient", [.cacheControl: "max-stale=20"]), ("cached", [.cacheControl: "only-if-cached"]),
        ("forced", [.cacheControl: "no-cache"]), ("part", [.range: "bytes=0-0"]), ("known", [.ifNoneMatch: #""1""#]),
        ("kim", [.authorization: "Bearer kim"]), ("a session", [.cookie: "session=a"]),
        ("another session", [.cookie: "session=b"]),
    ]

    private static let policies: [CachePolicy?] = [
        .http, .http, .http, .http, nil, .elseNetwork(), .elseNetwork(maxAge: .seconds(10)), .cacheOnly(), .revalidate,
        .reload, .staleWhileRevalidate(maxAge: .seconds(10)), .networkElseCache(), .http.storing(for: .seconds(15)),
        .http.inMemory(), .http.keepingModels(), .elseNetwork().inMemory().keepingModels(),
    ]

    private static func response(
        to request: TransportRequest,
        _ now: Date,
        _ random: inout SeededGenerator
    ) -> RawResponse {
        let control = [
            "max-age=30", "max-age=30", "max-age=60, immutable", "max-age=5, stale-while-revalidate=20", "no-cache",
            "no-store", "max-age=30, must-revalidate", "max-age=x",
        ]
        var headers: HTTPFields = [.setCookie: "a=\(Int.random(in: 0...9, using: &random))"]
        headers[.cacheControl] = control.randomElement(using: &random)
        if Bool.random(using: &random) {
            headers[.eTag] = "\"\(Int.random(in: 1...2, using: &random))\""
        }
        if Int.random(in: 0...3, using: &random) == 0 {
            headers[.vary] = ["Accept-Language", "Authorization", "*"].randomElement(using: &random)
        }
        if Bool.random(using: &random) {
            headers[.date] = HTTPDate.text(now.addingTimeInterval(-Double.random(in: 0...20, using: &random)))
        }
        if Int.random(in: 0...3, using: &random) == 0 {
            headers[.age] = "\(Int.random(in: 0...20, using: &random))"
        }
        if let tag = headers[.eTag], request.headers[.ifNoneMatch] == tag {
            return RawResponse(status: .notModified, headers: headers)
        }
        let status: HTTPResponse.Status = Int.random(in: 0...9, using: &random) == 0 ? .notFound : .ok
        return .text("\(request.url) \(random.next())", status, headers: headers)
    }

    @Test(arguments: [UInt64](1...16))
    func `quick and slow calls cannot be told apart`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let usual = [CachePolicy.http, .http.keepingModels(), .http.inMemory().keepingModels()][Int(seed % 3)]
        let wall = WallClock()
        let (quick, slow) = (Side(wall, isSlow: false), Side(wall, isSlow: true))
        var recalled = 0
        for step in 0..<500 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0...1: wall.advance(by: .random(in: 0...10, using: &random))
            case 2: wall.advance(by: .random(in: -3...40, using: &random))
            case 3 where Int.random(in: 0...3, using: &random) == 0:
                for side in [quick, slow] { try await side.client.manager.cache.invalidate(.all) }
            case 4 where Int.random(in: 0...3, using: &random) == 0:
                for side in [quick, slow] { try await side.client.manager.cache.remove(.all) }
            case 5:
                let call = Call(&random, usual)
                for side in [quick, slow] {
                    try await side.client.manager.cache.store("\(step)", for: side.node(call), timeToLive: .seconds(9))
                }
            case 6:
                for side in [quick, slow] {
                    _ = try? await side.client.manager.request(String.self).post().endpoint("/a").send()
                }
            default:
                let call = Call(&random, usual)
                recalled += try await quick.client.manager.recalls(quick.node(call)) ? 1 : 0
                #expect(try await !slow.client.manager.recalls(slow.node(call)))
                let (one, other) = (await quick.send(call), await slow.send(call))
                try #require(one == other, "seed \(seed), step \(step): \(call)")
            }
        }
        #expect(recalled > 10, "the fast path was hardly ever taken")
    }
}
