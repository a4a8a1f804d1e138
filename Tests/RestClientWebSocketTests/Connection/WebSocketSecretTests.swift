// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestClientRecording
import RestEssentials
import TestSupport
import Testing

@testable import RestClientWebSocket

/// Plants marker secrets wherever one can enter a WebSocket, and searches all that comes out.
///
/// Messages and header fields that a program prints itself are not among the outputs.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketSecretTests {
    private let secrets = PlantedSecrets()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Rules that allow all that does not look like a secret.
    private static var rules: RecordingRules {
        var rules = RecordingRules()
        rules.headers = .all
        rules.query = .all
        rules.bodyFields = .all
        return rules
    }

    private func note(_ recorder: HARRecorder) throws {
        secrets.note("archive", try recorder.archive.data())
        secrets.note("archive, printed", printing: recorder.archive)
        for entry in recorder.archive.entries {
            secrets.note("entry", printing: entry)
            secrets.note("messages", printing: entry.webSocketMessages ?? [])
        }
        try recorder.write(to: directory.path("live.har"))
        try secrets.note(filesIn: directory.url)
    }

    private func note(_ error: any Error) {
        secrets.note("error", printing: error)
        let error = error as? RestClientError
        secrets.note("localized error", error?.errorDescription ?? "")
        secrets.note("story", error?.explain() ?? "")
    }

    @Test
    func `no secret of a conversation comes out: its call, events, errors, recordings and files`() async throws {
        let recorder = HARRecorder(rules: Self.rules)
        try await FrameServer.with { [secrets] connection in
            try await connection.handshake {
                $0.append("Set-Cookie: session=\(secrets.marker("set-cookie"))")
                $0.append("Ocp-Apim-Subscription-Key: \(secrets.marker("response-key"))")
                $0.append("Link: </next?access_key=\(secrets.marker("link"))>; rel=next")
            }
            try await connection.write(FrameConnection.text(#"{"id": 7, "token": "\#(secrets.marker("received"))"}"#))
            _ = try await connection.readFrame()
            try await connection.close(1008, "see https://a.example/?code=\(secrets.marker("reason"))")
        } _: { [secrets] server in
            let observation = server.manager.observe { secrets.note("event", printing: $0) }
            let node = server.node.query(["subscription-key": secrets.marker("query")])
                .bearer(secrets.marker("bearer")).header("X-Vault-Token", secrets.marker("field"))
            secrets.note("node", printing: node)
            try await recorder.record {
                let socket = try await node.webSocket(sending: [String: String].self)
                secrets.note("socket", printing: socket)
                let message = try #require(try await socket.receive())
                secrets.note("message", printing: message)
                try await socket.send(["password": secrets.marker("sent")])
                do {
                    while try await socket.receive() != nil {}
                    Issue.record("the close of the server is an error")
                } catch {
                    note(error)
                }
                secrets.note("closure", printing: try #require(socket.closure))
            }
            observation.cancel()
        }
        try note(recorder)

        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.webSocketMessages?.count == 2)
        #expect(secrets.count(of: "event") > 4)
        secrets.expectNothingLeaked()
    }

    @Test
    func `no secret of a refused handshake comes out`() async throws {
        let recorder = HARRecorder(rules: Self.rules)
        try await FrameServer.with { [secrets] connection in
            _ = try await connection.readHead()
            try await connection.write(
                "HTTP/1.1 403 Forbidden\r\nWWW-Authenticate: Token \(secrets.marker("challenge"))\r\n"
                    + "Location: /?access_token=\(secrets.marker("location"))\r\nContent-Length: 0\r\n\r\n"
            )
            try await connection.waitForEnd()
        } _: { [secrets] server in
            let observation = server.manager.observe { secrets.note("event", printing: $0) }
            await recorder.record {
                do {
                    _ = try await server.node.bearer(secrets.marker("bearer")).webSocket()
                    Issue.record("the handshake was refused")
                } catch {
                    note(error)
                }
                do {
                    var options = WebSocketOptions()
                    options.subprotocols = ["Bearer \(secrets.marker("subprotocol"))"]
                    _ = try await server.node.webSocketOptions(options).webSocket()
                    Issue.record("the name of the subprotocol is not valid")
                } catch {
                    note(error)
                }
            }
            observation.cancel()
        }
        try note(recorder)

        #expect(secrets.count(of: "error") == 2)
        secrets.expectNothingLeaked()
    }

    @Test(arguments: [
        "token=s3cret", "bad; session = \"s3cret\"", #"{"token":"s3cret"}"#, "see https%3A%2F%2Fh%2F%3Ftoken%3Ds3cret",
        "at wss://kim:s3cret@a.example/",
    ])
    func `no secret in the reason of a close is shown`(reason: String) throws {
        let closure = WebSocketClosure(WebSocketCloseCode(rawValue: 1008), reason: reason, isByServer: true)
        let error = try #require(closure.error)
        for text in ["\(closure)", "\(error)", error.message, error.errorDescription ?? ""] {
            #expect(text.contains("<redacted>") && !text.contains("s3cret"), "\(text)")
        }
    }
}
