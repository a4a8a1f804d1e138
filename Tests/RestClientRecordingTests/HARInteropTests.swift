// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import SeededRandom
import TestSupport
import Testing

@testable import RestClientRecording

/// Archives in the forms of other programs, from `Resources/archives`.
@Suite
struct HARInteropTests {
    private struct Order: Codable, Sendable, Equatable {
        var id: Int
    }

    /// Each archive holds the same response to the same request; some hold one that failed as well.
    private static let archives = ["charles", "chrome", "firefox", "insomnia", "mitmproxy", "safari"]

    private static func bytes(_ name: String) throws -> Data {
        try TestResource.bytes("archives/\(name).har")
    }

    private static let openRules: RecordingRules = {
        var rules = RecordingRules()
        (rules.headers, rules.query, rules.bodyFields, rules.allowsOtherBodies) = (.all, .all, .all, true)
        return rules
    }()

    @Test(arguments: archives)
    func `an archive of another program is replayed`(name: String) async throws {
        let replay = HARReplay(try HAR(data: Self.bytes(name)), rules: Self.openRules)
        let client = StubbedClient(StubTransport { try await replay.exchange($0) { _ in throw CancellationError() } })

        let response = try await client.manager.request([Order].self).endpoint("/orders").query(["page": 1]).response()

        #expect(response.model == [Order(id: 7), Order(id: 8)])
        #expect(response.headers[.contentEncoding] == nil)
        #expect(response.headers[.contentType]?.hasPrefix("application/json") == true)
    }

    @Test
    func `a request gets what was recorded for its order of query items, and otherwise for another order`() async throws
    {
        let client = StubbedClient(StubTransport { .text($0.query ?? "") })
        func send(_ query: String) async throws -> String {
            try await client.manager.request(String.self).url("https://img.example/a?\(query)").dogma(.raw).send()
        }
        let recorder = HARRecorder(rules: Self.openRules)
        let recorded = ["b=2&a=1", "a=1&b=2", "x=1&y=2"]
        try await recorder.record {
            for query in recorded { _ = try await send(query) }
        }

        let replay = HARReplay(recorder.archive, rules: Self.openRules)
        let replayed = try await replay.replay {
            [try await send("a=1&b=2"), try await send("b=2&a=1"), try await send("y=2&x=1")]
        }

        #expect(replayed == ["a=1&b=2", "b=2&a=1", "x=1&y=2"])
        #expect(replay.unused.isEmpty)
        #expect(replay.shadowed.isEmpty)
    }

    @Test(arguments: ["chrome", "firefox", "mitmproxy"])
    func `a request that failed elsewhere fails here`(name: String) async throws {
        let entry = try #require(try HAR(data: Self.bytes(name)).entries.last)

        #expect(entry.request.body?.text == "item=7")
        let error = #expect(throws: RestClientError.self) { try entry.response.rawResponse() }
        #expect(error?.code == .transportFailed)
    }

    @Test
    func `the timings of other programs are read, except those that do not apply`() throws {
        func timings(_ name: String) throws -> HAR.Timings? { try HAR(data: Self.bytes(name)).entries.first?.timings }

        #expect(
            try timings("chrome") == HAR.Timings(blocked: 2.0740000067055227, send: 0.19, wait: 38.1, receive: 1.44)
        )
        #expect(try timings("charles") == HAR.Timings(send: 1, wait: 57, receive: 3))
        #expect(
            try timings("firefox")
                == HAR.Timings(blocked: 0, dns: 0, connect: 0, send: 0, wait: 61, receive: 0, ssl: 0)
        )
        #expect(try HAR(data: Self.bytes("firefox")).entries.last?.timings == HAR.Timings())
    }

    @Test
    func `fields that a browser wrote as one are several again`() throws {
        let entry = try #require(try HAR(data: Self.bytes("chrome")).entries.first)

        #expect(try entry.response.rawResponse().headers[values: .setCookie] == ["lang=de; Path=/", "seen=1; Path=/"])
    }

    @Test(arguments: ["chrome", "firefox"])
    func `a request that is sent again has no fields of the old connection`(name: String) throws {
        let request = try #require(try HAR(data: Self.bytes(name)).entries.first?.request.transportRequest)

        #expect(request.headers.map(\.name.canonicalName) == ["accept"])
    }

    @Test(arguments: archives)
    func `an archive of another program is written in the standard format`(name: String) throws {
        let archive = try HAR(data: Self.bytes(name))
        let data = try archive.data()
        let again = try HAR(data: data)

        #expect(HARStructure.defects(of: try JSONDecoder().decode(JSONValue.self, from: data)).isEmpty)
        #expect(again.creator == archive.creator)
        #expect(again.entries.map(\.request) == archive.entries.map(\.request))
        #expect(again.entries.map(\.response) == archive.entries.map(\.response))
        #expect(again.entries.map(\.timings) == archive.entries.map(\.timings))
    }

    @Test(arguments: archives)
    func `an archive that was cut anywhere is refused`(name: String) throws {
        let whole = try Self.bytes(name)
        // Anything after the last brace is insignificant.
        let length = try #require(whole.lastIndex(of: UInt8(ascii: "}")))

        for cut in 0..<length {
            let error = #expect(throws: RestClientError.self) { try HAR(data: whole.prefix(cut)) }
            guard error?.code == .invalidRecording else {
                Issue.record("cut after \(cut) bytes")
                return
            }
        }
    }

    @Test(arguments: archives)
    func `an archive that was damaged is refused or used, and traps nothing`(name: String) throws {
        let whole = Array(try Self.bytes(name))
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<400 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = Array("0123456789-{}[]\",:eE.\\ ".utf8).randomElement(using: &generator) ?? 0
                case 1: bytes[place] = .random(in: 0...255, using: &generator)
                case 2: bytes.insert(contentsOf: "9999999999".utf8, at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 9))
                }
            }
            guard let archive = try? HAR(data: Data(bytes)) else {
                continue
            }
            for rules in [RecordingRules(), Self.openRules] {
                _ = SecretScan(rules).places(in: archive)
                let replay = HARReplay(archive)
                #expect(replay.unused.count == archive.entries.count)
                for entry in archive.entries {
                    _ = try? rules.masked(entry).response.rawResponse()
                    _ = entry.request.transportRequest
                }
            }
            _ = try? archive.data()
        }
    }
}
