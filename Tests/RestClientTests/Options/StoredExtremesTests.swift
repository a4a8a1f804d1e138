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
