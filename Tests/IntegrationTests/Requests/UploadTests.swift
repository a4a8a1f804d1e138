// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

/// Files that are sent with `upload(from:)`.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct UploadTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func file(_ name: String, _ content: Data) throws -> String {
        let url = directory.path(name)
        try content.write(to: url)
        return url.path
    }

    @Test(arguments: [(String?.none, "text/csv; charset=utf-8"), ("text/plain", "text/plain")])
    func `a file arrives, with its length and media type, and the response is decoded`(
        type: String?,
        sent: String
    ) async throws {
        let path = try file("a.csv", Data("1;2;3".utf8))
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .json("7") }

            let model = try await client.manager.request(Int.self).post().endpoint("/").values(["a": 1])
                .upload(from: path, contentType: type)

            #expect(model == 7)
            let request = try #require(client.server.requests.first)
            #expect(request.method == .post)
            #expect(Data(request.body) == Data("1;2;3".utf8))
            #expect(request.headers.values("Content-Type") == [sent])
            #expect(request.headers.values("Content-Length") == ["5"])
        }
    }

    @Test
    func `progress is that of the file, besides the handlers of the call`() async throws {
        let content = Data(repeating: 1, count: 300_000)
        let path = try file("a.bin", content)
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .bytes([UInt8](repeating: 2, count: 200_000)) }
            let (reports, calls) = (Recorder<TransferProgress>(), Recorder<CallProgress>())

            try await client.request(.put, "/").onProgress { calls.record($0) }
                .upload(from: path) { reports.record($0) }

            #expect(reports.elements.last?.completed == 300_000)
            #expect(reports.elements.allSatisfy { $0.total == 300_000 })
            #expect(Set(calls.elements.map(\.direction)) == [.sent, .received])
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func `a method without a body uploads nothing, and says which verb is missing`(name: String) async throws {
        let path = try file("a.bin", Data("1".utf8))
        try await LoopbackClient.with { client in
            let node = name == "GET" ? client.request(.get, "/") : client.request(.head, "/")
            let (log, calls) = (EventRecorder(client.manager), Recorder<String>())

            let error = await #expect(throws: RestClientError.self) {
                try await node.onStart { calls.record("start") }.onError { _ in calls.record("error") }
                    .upload(from: path)
            }

            #expect(error?.code == .bodyNotAllowed)
            #expect(error?.message.contains("a \(name) request") == true)
            #expect(error?.message.contains(".put()") == true)
            #expect(error?.request?.method?.rawValue == name)
            #expect(log.names == [.callStarted, .callFailed])
            #expect(calls.elements == ["start", "error"])
            #expect(client.server.requests.isEmpty)
        }
    }

    @Test
    func `the failure of an upload with a wrong method passes the call's mappers`() async throws {
        struct Foreign: Error {}
        let path = try file("a.bin", Data("1".utf8))
        try await LoopbackClient.with { client in
            _ = await #expect(throws: Foreign.self) {
                try await client.request(.get, "/").mapError { _ in Foreign() }.upload(from: path)
            }
        }
    }

    @Test
    func `a file that is not there, and a target that is not registered, are failures of the call`() async throws {
        let path = try file("a.bin", Data("1".utf8))
        try await LoopbackClient.with { client in
            let log = EventRecorder(client.manager)

            let absent = await #expect(throws: RestClientError.self) {
                try await client.request(.put, "/").upload(from: path + ".gone")
            }
            let unknown = await #expect(throws: RestClientError.self) {
                try await client.manager.request(Void.self).server("nowhere").put().upload(from: path)
            }

            #expect(absent?.code == .bodyUnreadable)
            #expect(unknown?.code == .unknownServer)
            #expect(log.count(of: .callFailed) == 2)
            #expect(client.server.requests.isEmpty)
        }
    }
}
