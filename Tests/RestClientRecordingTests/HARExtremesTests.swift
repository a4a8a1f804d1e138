// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import SeededRandom
import TestSupport
import Testing

@testable import RestClientRecording

/// Archives of a file, which may hold any values: they are refused, or can be shown, written and replayed.
@Suite(.timeLimit(.minutes(5)))
struct HARExtremesTests {
    private static let marked = """
        {"log":{"version":§"1.2"§,"creator":{"name":§"t"§,"version":§"1"§},"entries":[{
        "startedDateTime":§"2026-11-23T04:00:00.250Z"§,"time":§3§,
        "request":{"method":§"GET"§,"url":§"https://api.example.com/v1/orders"§,"httpVersion":§"HTTP/1.1"§,
        "headers":[{"name":§"Accept"§,"value":§"*/*"§}],"queryString":§[]§,"cookies":§[]§,"headersSize":§-1§,
        "bodySize":§0§},
        "response":{"status":§200§,"statusText":§"OK"§,"httpVersion":§"HTTP/1.1"§,
        "headers":[{"name":"Cache-Control","value":§"max-age=60"§},{"name":"Content-Length","value":§"2"§},
        {"name":"Retry-After","value":§"1"§}],"cookies":[],"redirectURL":§""§,"headersSize":-1,"bodySize":§2§,
        "content":{"size":§2§,"mimeType":§"application/json"§,"text":§"[]"§,"encoding":§null§},"_error":§null§},
        "cache":§{}§,"timings":{"blocked":§1§,"dns":§0§,"connect":§2§,"ssl":§1§,"send":§0§,"wait":§3§,"receive":§0§}},
        {"startedDateTime":"2026-11-23T04:00:01+00:00","time":0,
        "_webSocketMessages":[{"type":§"send"§,"time":§1.5§,"opcode":§1§,"data":§"hi"§},
        {"type":"receive","time":§2§,"opcode":§2§,"data":§"AAH/"§}],
        "_webSocketEnd":{"code":§1000§,"reason":§"done"§,"isByServer":§true§},
        "request":{"method":"POST","url":"wss://a.example/","httpVersion":"","headers":[],
        "postData":{"mimeType":§"text/plain"§,"text":§"a"§,"params":[{"name":§"a"§,"value":§"b"§}],"_encoding":§null§}},
        "response":{"status":101,"statusText":"","httpVersion":"","headers":[],"content":{}},"timings":§{}§}]}}
        """

    private static let openRules: RecordingRules = {
        var rules = RecordingRules()
        (rules.headers, rules.query, rules.bodyFields, rules.allowsOtherBodies) = (.all, .all, .all, true)
        return rules
    }()

    /// Uses an archive in every way, and returns the response that it replays; `nil` if it replays none.
    @discardableResult
    private static func use(_ archive: HAR) async -> Response<Data>? {
        var text = archive.description
        dump(archive, to: &text)
        #expect(!text.unicodeScalars.contains("\u{0}"))
        #expect(!text.unicodeScalars.contains("\u{202E}"))
        do {
            _ = try archive.data()
        } catch {
            #expect(error.code == .invalidRecording)
        }
        for rules in [RecordingRules(), openRules] {
            _ = SecretScan(rules).places(in: archive)
            _ = archive.entries.map { rules.masked($0).description }
        }
        if let first = archive.entries.first, let last = archive.entries.last {
            _ = RecordingDrift.differences(from: first.response, to: last.response)
        }
        let replay = HARReplay(archive, rules: openRules)
        _ = (replay.unused, replay.shadowed)
        let client = StubbedClient(StubTransport { try await replay.exchange($0) { _ in throw CancellationError() } })
        let node = client.manager.request(Data.self).endpoint("/orders").cache(.elseNetwork())
        guard let response = try? await node.response() else {
            return nil
        }
        _ = (response.explain(), response.explainOptions(), "\(response)")
        return response
    }

    @Test
    func `the archive without an extreme value is replayed`() async throws {
        let archive = try HAR(data: Data(ExtremeJSON.plain(Self.marked).utf8))

        let response = await Self.use(archive)

        #expect(response?.body == Data("[]".utf8))
        #expect(archive.entries.last?.webSocketEnd?.code == 1000)
    }

    @Test
    func `an archive with an extreme value in any place traps nothing`() async throws {
        for json in ExtremeJSON.variants(of: Self.marked) {
            if let archive = try? HAR(data: Data(json.utf8)) {
                await Self.use(archive)
            }
        }
    }

    @Test
    func `an archive with extreme values in many places traps nothing`() async throws {
        for json in ExtremeJSON.mixtures(of: Self.marked, count: 300, seed: 11) {
            if let archive = try? HAR(data: Data(json.utf8)) {
                await Self.use(archive)
            }
        }
    }
}
