// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient
@testable import SharedStore

/// Texts of servers, files and users in what the library prints.
@Suite(.timeLimit(.minutes(5)))
struct ForeignTextTests {
    /// A text that would forge a line, control a terminal, and turn the direction of writing.
    private static let marker = "x\r\nFORGED\u{1B}[31m\u{9B}2J\u{202E}\u{2028}\u{2066}\u{200F}\u{61C}\u{FEFF}\u{7F}y"

    /// The part of it that a header field may have.
    private static let value = "x\u{9B}2J\u{202E}\u{2028}\u{2066}\u{200F}\u{61C}\u{FEFF}y"

    private static func expectClean(_ texts: [String], _ place: String) {
        for text in texts {
            let hidden = text.unicodeScalars.filter { $0 != "\n" && MessageText.isHidden($0) }
            #expect(hidden.isEmpty, "\(place): \(text.debugDescription)")
            #expect(!text.split(separator: "\n").contains { $0.hasPrefix("FORGED") }, "\(place): \(text)")
        }
    }

    private static func texts(of error: any Error) -> [String] {
        var dumped = ""
        dump(error as? RestClientError, to: &dumped)
        let client = error as? RestClientError
        return [
            "\(error)", String(reflecting: error as? RestClientError), dumped, Redaction.error(error),
            client?.message, client?.explain(), client?.errorDescription, client?.report?.nodes.first?.error,
            (error as? EnvelopeError)?.errorDescription, (error as? StoreError)?.errorDescription,
        ]
        .compactMap(\.self)
    }

    /// Sends a call, and returns all that is printed of it.
    private static func printed(
        _ response: RawResponse,
        _ node: (RestClientManager) -> RequestNode<[String: Int]>
    ) async -> [String] {
        let client = StubbedClient(answering: response)
        let lines = Mutex<[String]>([])
        let token = client.manager.observe { event in
            lines.withLock { $0 += [event.description, event.kind.description, String(reflecting: event)] }
        }
        defer { token.cancel() }
        var texts: [String] = []
        do {
            let response = try await node(client.manager).response()
            texts = ["\(response)", response.explain()]
        } catch {
            texts = Self.texts(of: error)
        }
        return texts + lines.withLock { $0 }
    }

    @Test
    func `no text of a response forges a line or controls a terminal`() async throws {
        let key = Self.marker.replacing("\r\n", with: "\\r\\n").replacing("\u{1B}", with: "\\u001b")
        let bodies: [(HTTPResponse.Status, HTTPFields, String)] = [
            (.ok, [:], #"{"\#(key)": "no number"}"#),
            (.ok, [:], #"{"a": \#(Self.marker)}"#),
            (.ok, [.contentType: "text/plain; charset=\(Self.value)"], "x"),
            (.ok, [.contentType: Self.value], "x"),
            (.ok, [.contentEncoding: Self.value], "x"),
            (.init(code: 302), [.location: "https://b.example/\(Self.value)"], ""),
            (.init(code: 302), [.location: Self.value], ""),
            (.init(code: 302), [.location: "\(Self.value)://b"], ""),
            (.init(code: 500, reasonPhrase: Self.value), [:], ""),
            (.init(code: 429), [.retryAfter: Self.value], ""),
            (.badRequest, [.contentType: "application/problem+json"], #"{"title":"\#(key)","detail":"\#(key)"}"#),
            (.unauthorized, [.wwwAuthenticate: Self.value], ""),
            (
                .ok, [.setCookie: "a=b; Domain=\(Self.value)", (.init("Link") ?? .from): "<\(Self.value)>; rel=next"],
                "{}"
            ),
        ]
        for (status, fields, body) in bodies {
            let response = RawResponse(status: status, headers: fields, body: Data(body.utf8))
            let texts = await Self.printed(response) { $0.request([String: Int].self).endpoint("/a") }
            Self.expectClean(
                texts + ["\(response)", Redaction.headers(fields)],
                "\(status) \(fields.first?.name.rawName ?? body)"
            )
        }
    }

    @Test
    func `no name of a caller forges a line or controls a terminal`() async throws {
        let marker = Self.marker
        let nodes: [(RestClientManager) -> RequestNode<[String: Int]>] = [
            { $0.request([String: Int].self).server(ServerAlias(rawValue: marker)).endpoint("/a") },
            { $0.request(APIAlias<[String: Int]>(rawValue: marker)) },
            { $0.request([String: Int].self).endpoint("/a").callIdentifier(marker) },
            { $0.request([String: Int].self).endpoint("/{\(marker)}") },
            { $0.request([String: Int].self).endpoint("/{x}").parameter(marker, 1) },
            { $0.request([String: Int].self).url("https://a.example/\(marker)") },
            { $0.request([String: Int].self).url(marker) },
            { $0.request([String: Int].self).serverAddress(marker).endpoint("/a") },
            { $0.request([String: Int].self).endpoint("/a").header(marker, "x") },
            { $0.request([String: Int].self).endpoint("/a").query([marker: marker]) },
        ]
        for (place, node) in nodes.enumerated() {
            Self.expectClean(await Self.printed(.text("{}"), node), "name \(place)")
        }
        let manager = StubbedClient().manager
        manager.servers[ServerAlias(rawValue: marker)] = Server(marker)
        manager.apis[APIAlias<Int>(rawValue: marker)] = API(.get, "/{a", server: ServerAlias(rawValue: marker + "x"))
        Self.expectClean(await manager.lint().flatMap { ["\($0)", $0.message] }, "lint")
    }

    @Test
    func `no name of a graph forges a line or controls a terminal`() async throws {
        let marker = Self.marker
        let manager = StubbedClient(answering: .status(.notFound)).manager
        var graph = JobGraph(marker)
        graph.request(marker) { RequestNode(Void.self).endpoint("/a") }
        graph.local(marker + "2") { throw JobGraphError(.timeout, marker, underlying: Named(description: marker)) }
        let lines = Mutex<[String]>([])
        let token = manager.observe { event in lines.withLock { $0.append(event.description) } }
        defer { token.cancel() }

        let run = try await manager.run(graph)

        let plan = try await manager.plan(graph)
        Self.expectClean([run.description, plan.description] + lines.withLock { $0 }, "run")
        let errors = [run.failure].compactMap(\.self)
        Self.expectClean(errors.flatMap(Self.texts), "error")
    }

    private struct Named: Error, CustomStringConvertible {
        let description: String
    }

    @Test
    func `no value describes itself with what forges a line or controls a terminal`() {
        let marker = Self.marker
        let form = MultipartForm().field(marker, marker).file(marker, "/tmp/\(marker)")
        let store = StoreError(.corrupt, marker, file: marker, key: marker, underlying: Named(description: marker))
        let values: [any CustomStringConvertible] = [
            form, form.parts[0], form.parts[1], store, JobGraphError(.timeout, marker),
            RestClientError(.timeout, marker, underlying: Named(description: marker)),
            EnvelopeError(code: "1", message: marker), ServerSentEvent(type: marker, data: "", lastEventID: ""),
            PagePosition.url(marker), API(.get, PathTemplate(stringLiteral: "/a")),
        ]
        for value in values {
            Self.expectClean(["\(value)"], "\(type(of: value))")
        }
        Self.expectClean(Self.texts(of: store) + Self.texts(of: EnvelopeError(code: "1", message: marker)), "localized")
        let event = ClientEvent.Kind.custom(identifier: marker, payload: [marker: .string(marker)])
        Self.expectClean(["\(event)"], "custom event")
        let curl = CurlCommand(method: .get, url: "https://a.example/\(marker)", body: .multipart(form))
        Self.expectClean([curl.description], "curl")
    }

    @Test
    func `a refused connection says so in its main sentence`() {
        let refused = IOError(errnoCode: ECONNREFUSED, reason: "connection reset (error set)")
        let error = TransportFailure.error(for: refused, url: "https://a.example:7/x")

        #expect(error.message == "no connection to a.example:7 could be made: it refused the connection")
        #expect(
            error.description
                == "connectionFailed: no connection to a.example:7 could be made: it refused the connection; "
                + "underlying: IOError: it refused the connection (errno \(ECONNREFUSED))"
        )
    }
}
