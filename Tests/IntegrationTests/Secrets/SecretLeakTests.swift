// SPDX-License-Identifier: MIT

#if Logging && Tracing

import HTTPTypes
import InMemoryLogging
import InMemoryTracing
import Logging
import RestClient
import RestClientLogging
import RestClientRecording
import RestClientReports
import RestClientTracing
import RestEssentials
import SharedStore
import TestSupport
import Testing
import Tracing

/// Plants marker secrets wherever one can enter, and searches all that comes out.
///
/// Bodies that a program stores itself are not among the outputs: the response cache stores them as they are, see
/// `SECURITY.md`; markers in fields and URLs of the same responses are.
@Suite(.timeLimit(.minutes(5)))
struct SecretLeakTests {
    private struct Thing: Codable, Sendable, Equatable {
        var name: String
    }

    private struct Login: Codable, Sendable {
        var user: String
        var password: String
    }

    private static let sealing = SealingKey.generate()

    private let secrets = PlantedSecrets()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    // MARK: - The server

    /// A server that sends secrets in every place where servers do.
    private func respond(_ server: LoopbackServer) {
        let secrets = secrets
        let fields: LoopbackHeaders = [
            "Set-Cookie": "session=\(secrets.marker("set-cookie")); Path=/",
            "X-Auth-Token": secrets.marker("response-token-field"),
            "Authentication-Info": "nextnonce=\"\(secrets.marker("authentication-info"))\"",
            "Cache-Control": "max-age=600", "ETag": "\"1\"",
            "Link": "</next?access_key=\(secrets.marker("stored-link"))>; rel=\"next\"",
        ]
        server.on(.post, "/token") { _ in
            let token = secrets.marker("access-token")
            let refresh = secrets.marker("refresh-token")
            return .json(#"{"access_token": "\#(token)", "refresh_token": "\#(refresh)", "expires_in": 3600}"#)
        }
        server.on(.get, "/thing") { _ in .json(#"{"name": "thing"}"#, headers: fields) }
        server.on(.post, "/login") { _ in .json(#"{"name": "login"}"#, headers: fields) }
        server.on(.post, "/form") { _ in .json(#"{"name": "form"}"#, headers: fields) }
        server.on(.get, "/denied") { _ in
            .json(
                #"{"message": "no", "password": "\#(secrets.marker("error-body"))"}"#,
                status: 403,
                headers: ["WWW-Authenticate": "Token \(secrets.marker("challenge"))"]
            )
        }
        server.on(.get, "/moved") { _ in .redirect(to: "/thing?access_token=\(secrets.marker("location"))") }
        server.on(.get, "/lost") { _ in
            .redirect(to: "ftp://kim:\(secrets.marker("location-password"))@files.example/")
        }
        server.on(.get, "/away") { _ in .redirect(to: "//kim:\(secrets.marker("network-path"))@files.example/") }
        server.on(.get, "/page") { _ in
            let link = "</thing?api_key=\(secrets.marker("link"))>; rel=\"next\""
            return .json("[]", headers: ["Link": link])
        }
        server.on(.get, "/events") { _ in
            let data = #"data: {"id": 1, "token": "\#(secrets.marker("event"))"}"#
            return .text("\(data)\n\n", headers: ["Content-Type": "text/event-stream"])
        }
        server.on(.get, "/early") { _ in
            .json(#"{"name": "early"}"#)
                .preceded(
                    by: 103,
                    headers: [
                        "Link": "</thing?api_key=\(secrets.marker("early-link"))>; rel=preload",
                        "Set-Cookie": "session=\(secrets.marker("early-cookie"))",
                    ]
                )
        }
        server.on(.get, "/file") { _ in .text("the content of a file", headers: fields) }
        server.on(.get, "/garbage") { _ in .text("token=\(secrets.marker("undecodable-body"))") }
    }

    // MARK: - The client

    /// Sets a secret at every level, and in every way that options know.
    private func configure(_ manager: RestClientManager, _ server: LoopbackServer) throws -> TokenSource {
        let badge = try #require(HTTPField.Name("X-Badge"))
        let automatic = secrets.marker("automatic-field")
        let apiKey = try #require(HTTPField.Name("X-API-Key"))
        manager.options = manager.options.header(apiKey) { automatic }
            .header(badge, secrets.marker("declared-field")).credentialFields(badge)
            .cookies(CookieJar([Cookie("own", secrets.marker("cookie"), domain: "127.0.0.1", isSecure: false)]))
            .option(CallOptionKey<String>("tenant"), secrets.marker("own-option"))
        manager.servers[.loopback] = Server(server.url)
            .header("PRIVATE-TOKEN", secrets.marker("server-field"))
        manager.servers["other"] = Server("http://kim:\(secrets.marker("address-password"))@127.0.0.1:\(server.port)")
        manager.servers["mistyped"] = Server("http:/kim:\(secrets.marker("mistyped-address"))@127.0.0.1")
        let client = OAuthClient(id: "me", secret: secrets.marker("client-secret"))
        let source = TokenSource(
            AccessToken(secrets.marker("first-token"), expiresIn: .zero, refreshToken: secrets.marker("first-refresh")),
            refreshTokensOf: client,
            at: manager.request(TokenResponse.self).post().endpoint("/token")
        )
        try source.keep(in: manager.sharedData, as: "token", sealedWith: Self.sealing)
        let key = SharedKey<Login>("login", codec: .gzipSealed(Self.sealing))
        try manager.sharedData.set(Login(user: "kim", password: secrets.marker("shared-data")), for: key)
        return source
    }

    /// The calls, good and bad, with secrets in queries, fields, bodies, forms and parameters.
    private func nodes(_ manager: RestClientManager, _ source: TokenSource) -> [RequestNode<Thing>] {
        func node(_ method: HTTPRequest.Method, _ path: PathTemplate) -> RequestNode<Thing> {
            manager.request(Thing.self).method(method).endpoint(path).query(["access_token": secrets.marker("query")])
        }
        let form = MultipartForm().field("user", "kim").field("password", secrets.marker("multipart"))
        return [
            node(.get, "/thing").authentication(.bearer(source)).cache(.http),
            node(.get, "/thing").bearer(secrets.marker("bearer")).cache(.http),
            node(.get, "/thing").header(.authorization, "Basic \(secrets.marker("basic"))"),
            node(.get, "/thing").header("X-Vault-Token", secrets.marker("call-field")),
            node(.post, "/login").body(Login(user: "kim", password: secrets.marker("json-body"))),
            node(.post, "/login").dogma(.form).body(Login(user: "kim", password: secrets.marker("form-body")))
                .accepting(.any),
            node(.post, "/form").body(.multipart(form)),
            node(.get, "/early"), node(.get, "/denied"), node(.get, "/moved"), node(.get, "/lost"),
            node(.get, "/away"), node(.get, "/garbage"), node(.get, "/nowhere"),
            node(.get, "/thing").server("unknown").bearer(secrets.marker("unsent")),
            node(.get, "/thing").header("X-Token", secrets.marker("bad-field") + "\n"),
            node(.get, "/thing").server("other"), node(.get, "/thing").server("mistyped"),
            manager.request(Thing.self).url("http://kim:\(secrets.marker("url-password"))@127.0.0.1:1/x"),
            manager.request(Thing.self).url("//kim:\(secrets.marker("relative-url"))@127.0.0.1:1/x"),
        ]
    }

    /// Keeps all that can be seen of a response.
    private func note(_ name: String, _ response: Response<Thing>) throws {
        secrets.note("\(name): response", printing: response)
        secrets.note("links", printing: response.links)
        for interim in response.raw.interimResponses {
            secrets.note("interim response", printing: interim)
        }
        secrets.note("\(name): story", response.explain())
        secrets.note("\(name): options", printing: response.explainOptions())
        try note("\(name): report", response.report)
    }

    private func note(_ name: String, _ error: any Error) throws {
        secrets.note("\(name): error", printing: error)
        guard let error = error as? RestClientError else {
            return
        }
        secrets.note("\(name): localized error", error.errorDescription ?? "")
        secrets.note("\(name): story", error.explain())
        if let report = error.report {
            try note("\(name): report", report)
        }
    }

    private func note(_ name: String, _ report: RunReport) throws {
        secrets.note(name, printing: report)
        secrets.note("\(name) as HTML", report.html())
        secrets.note("\(name) as Mermaid", report.mermaidGantt())
        secrets.note("\(name) as JUnit", report.junitXML())
        secrets.note("\(name) as a trace", try report.chromeTrace())
        secrets.note("\(name) as JSON", try report.json())
    }

    /// Keeps all events, with what can be seen of the calls under way meanwhile.
    private func observe(_ manager: RestClientManager) -> ObservationToken {
        manager.observe { [secrets] event in
            secrets.note("event", printing: event)
            secrets.note("line of an event", event.line)
            for call in manager.calls.running() {
                secrets.note("running call", printing: call)
            }
        }
    }

    /// Keeps all that can be seen of a manager.
    private func note(_ manager: RestClientManager) async throws {
        secrets.note("guards", printing: manager.guards.snapshots)
        secrets.note("lint", printing: await manager.lint())
        secrets.note("options", printing: manager.options)
        let servers: [ServerAlias] = [.loopback, "other", "mistyped"]
        secrets.note("servers", printing: servers.map { manager.servers[$0] })
        secrets.note("stored responses", printing: try await manager.cache.entries())
        secrets.note("workers", printing: manager.workers.snapshot())
    }

    // MARK: - The search

    @Test
    func `no secret that enters comes out: calls, events, logs, traces, recordings, reports and files`() async throws {
        let logs = InMemoryLogHandler()
        let tracer = InMemoryTracer()
        let recorder = HARRecorder()
        try await LoopbackClient.with { client in
            let manager = client.manager
            respond(client.server)
            try manager.persist(in: directory.url)
            let source = try configure(manager, client.server)
            var logger = Logger(label: "test") { _ in logs }
            logger.logLevel = .trace
            let tokens = [
                observe(manager), manager.log(to: logger, level: { _ in .trace }), manager.trace(with: tracer),
            ]

            try await recorder.record {
                for node in nodes(manager, source) {
                    let name = "\(node)"
                    secrets.note("node \(name)", printing: node)
                    do {
                        try note(name, try await node.response())
                    } catch {
                        try note(name, error)
                    }
                    if let command = try? await node.curlCommand() {
                        secrets.note("command of \(name)", printing: command)
                    }
                }
                try await useStreams(manager)
                try await useBodies(manager)
                try await useGraph(manager, source)
            }
            try await note(manager)
            secrets.note("token source", printing: source)
            secrets.note("archive", try recorder.archive.data())
            secrets.note("archive, printed", printing: recorder.archive)
            secrets.note("recorder", printing: recorder)
            try? recorder.write(to: directory.path("calls.har"))
            for token in tokens {
                token.cancel()
            }
            #expect(client.server.requests.count > 12)
            try secrets.note(filesIn: directory.url)
            manager.sharedData.close()
            secrets.note("closed store", printing: manager.sharedData)
        }
        for entry in logs.entries {
            secrets.note("log", "\(entry.message) \(entry.metadata)")
        }
        for span in tracer.finishedSpans {
            secrets.note("span", "\(span.operationName) \(String(describing: span.status))")
            func note(_ name: String, _ value: SpanAttribute) {
                secrets.note("attribute \(name) of a span", "\(value)")
            }
            span.attributes.forEach(note)
        }
        try secrets.note(filesIn: directory.url)

        #expect(logs.entries.count > 40)
        #expect(tracer.finishedSpans.count > 8)
        #expect(secrets.outputCount > 500)
        for name in ["interim response", "page", "position", "downloaded file", "stream", "pager"] {
            #expect(secrets.count(of: name) > 0, "\(name)")
        }
        secrets.expectNothingLeaked()
    }

    /// Reads events and pages.
    private func useStreams(_ manager: RestClientManager) async throws {
        let events = manager.request(Data.self).endpoint("/events").serverSentEvents(.once)
        for try await event in events {
            // The event itself belongs to the program.
            #expect(event.data.contains("plant-event"))
        }
        let pages = manager.request([Thing].self).endpoint("/page").pages(.link) { $0 }
        do {
            for try await page in pages {
                secrets.note("page", printing: page)
                secrets.note("links of a page", printing: page.response.links)
                secrets.note("position", printing: page.next)
                secrets.note("pages at a position", printing: try pages.starting(from: page.next))
            }
        } catch {
            try note("pages", error)
        }
        let pager = pages.pager()
        _ = try await pager.moveNext()
        secrets.note("pager", printing: pager)
        secrets.note("position of the pager", printing: pager.position)
        // A program that stores a position gets the whole of it.
        let stored = try JSONEncoder().encode(pager.position)
        #expect(String(decoding: stored, as: UTF8.self).contains("plant-link"))
    }

    /// Downloads a file, and reads a stream.
    private func useBodies(_ manager: RestClientManager) async throws {
        let node = manager.request(Data.self).endpoint("/file").query(["token": secrets.marker("download-query")])
        let file = try await node.download(to: directory.path("file.txt").path)
        #expect(file.headers.contains(.setCookie))
        secrets.note("downloaded file", printing: file)
        let stream = try await node.stream()
        secrets.note("stream", printing: stream)
        let form = MultipartForm().field("password", secrets.marker("printed-form"))
        secrets.note("form", printing: form)
        secrets.note("parts of a form", printing: form.parts)
        secrets.note("body", printing: RequestBody.multipart(form))
    }

    /// Runs a durable graph twice, whose last node fails the first time.
    private func useGraph(_ manager: RestClientManager, _ source: TokenSource) async throws {
        var graph = JobGraph("nightly")
        let (query, bearer) = (secrets.marker("graph-query"), secrets.marker("graph-bearer"))
        let thing = graph.request("thing") {
            RequestNode(Thing.self).endpoint("/thing").query(["token": query]).bearer(bearer)
        }
        graph.request("form", after: thing) { _ in
            RequestNode(Thing.self).post().endpoint("/login").authentication(.bearer(source))
                .body(Login(user: "kim", password: query))
        }
        graph.request("denied", after: thing) { _ in RequestNode(Thing.self).endpoint("/denied").bearer(bearer) }
        secrets.note("graph", printing: graph.mermaid)
        secrets.note("lint of the graph", printing: await manager.lint(graph))
        secrets.note("plan", printing: try await manager.plan(graph))
        for _ in 0..<2 {
            let run = try await manager.run(graph, journal: "nightly")
            secrets.note("run", printing: run.outcomes)
            try note("report of a run", run.report)
        }
    }

    // MARK: - The search finds

    @Test
    func `a marker is found in a text, in Base64 and in a file`() throws {
        let marker = secrets.marker("a")
        secrets.note("text", "x\(marker)y")
        for user in ["", "u", "us", "usr"] {
            secrets.note("code of \(user)", "Basic \(Data("\(user)\(marker)".utf8).base64EncodedString())")
        }
        secrets.note("harmless", "a plant in a pot, cGxhbnQ=")
        try Data("..\(marker)".utf8).write(to: directory.path("file"))
        try secrets.note(filesIn: directory.url)

        let coded = ["", "u", "us", "usr"].map { "Base64 of a marker in code of \($0)" }
        #expect(secrets.leaks == (["'a' in text", "'a' in the file file"] + coded).sorted())
    }

    @Test
    func `a closed store keeps no value in memory`() throws {
        final class Secret: Codable, Sendable {}
        let data = try SharedData(file: directory.path("shared.sqlite"))
        weak var released: Secret?
        do {
            let secret = Secret()
            released = secret
            try data.set(secret, for: SharedKey<Secret>("secret", codec: .sealed(Self.sealing)))
        }
        #expect(released != nil)

        data.close()

        #expect(released == nil)
    }
}

#else

import Testing

@Suite
struct SecretLeakTests {
    @Test(.disabled("the traits Logging and Tracing are off, with which logs and spans are searched"))
    func `no secret leaks`() {}
}

#endif
