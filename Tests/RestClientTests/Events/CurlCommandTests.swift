// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct CurlCommandTests {
    private let url = "https://api.example.com/a"

    private func command(
        _ method: HTTPRequest.Method = .post,
        _ headers: HTTPFields = [:],
        _ body: String? = nil,
        showsSecrets: Bool = false
    ) -> CurlCommand {
        CurlCommand(
            method: method,
            url: url,
            headers: headers,
            body: body.map { .bytes(Data($0.utf8)) },
            showsSecrets: showsSecrets
        )
    }

    @Test
    func `a request is one line of shell`() {
        #expect(command(.get).description == "curl --request GET --globoff 'https://api.example.com/a'")
        #expect(command(.head).description == "curl --head --globoff 'https://api.example.com/a'")
    }

    @Test(arguments: [
        "it's", "a b", "$(rm -rf)", "`id`", "a\nb", "\\", "\"", "", "ä'; echo '", "!x", "*", "'\u{301}; id '\u{301}",
    ])
    func `the shell passes the intended arguments to curl`(text: String) throws {
        let command = command(.put, [.contentType: "text/plain"], text, showsSecrets: true)
        #expect(command.arguments.last == text)
        let quoted = try #require(command.description.firstRange(of: "--data-raw ")).upperBound
        #expect(Array(unquoted(command.description[quoted...]).utf8) == Array(text.utf8))
    }

    /// The text that a POSIX shell makes of one quoted word.
    private func unquoted(_ word: Substring) -> String {
        // A shell knows no characters of several scalars.
        var (text, rest, isQuoted) = ("".unicodeScalars, word.unicodeScalars, false)
        while let scalar = rest.popFirst() {
            switch (scalar, isQuoted) {
            case ("'", _): isQuoted.toggle()
            case ("\\", false): text.append(rest.popFirst() ?? "?")
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    @Test
    func `credentials are masked unless requested`() {
        let headers: HTTPFields = [.authorization: "Bearer s3cret", .cookie: "s3cret", .accept: "application/json"]
        #expect(
            command(.get, headers).arguments.dropFirst(5) == [
                "--header", "Authorization: <redacted>", "--header", "Cookie: <redacted>", "--header",
                "Accept: application/json",
            ]
        )
        #expect(command(.get, headers, showsSecrets: true).description.contains("Bearer s3cret"))
        let secretURL = CurlCommand(method: .get, url: "https://kim:s3cret@example.com/?token=s3cret&page=2")
        #expect(secretURL.arguments.last == "https://<redacted>@example.com/?token=<redacted>&page=2")
    }

    @Test(arguments: [
        ("application/json", #"{"password":"s3cret","name":"kim"}"#, #"{"name":"kim","password":"<redacted>"}"#),
        ("application/problem+json; charset=utf-8", #"[{"apiKey":"s3cret"}]"#, #"[{"apiKey":"<redacted>"}]"#),
        ("application/x-www-form-urlencoded", "name=kim&password=s3cret", "name=kim&password=<redacted>"),
        ("application/json", "{s3cret", "<7 bytes>"),
        ("text/plain", "s3cret", "<6 bytes>"),
    ])
    func `secret-looking fields of a body are masked, and bodies of unknown kind left out`(
        contentType: String,
        body: String,
        shown: String
    ) {
        #expect(command(.post, [.contentType: contentType], body).arguments.last == shown)
        #expect(command(.post, [.contentType: contentType], body, showsSecrets: true).arguments.last == body)
    }

    @Test
    func `what curl would add by itself is taken away`() {
        #expect(
            command(.post, [:], "x", showsSecrets: true).arguments.suffix(4) == [
                "--data-raw", "x", "--header", "Content-Type:",
            ]
        )
        #expect(command(.get, [.accept: ""]).arguments.last == "Accept;")
    }

    @Test
    func `a body that is not text is shown by its length`() {
        let command = CurlCommand(method: .post, url: url, body: .bytes(Data([0xFF, 0xFE])), showsSecrets: true)
        #expect(command.arguments.contains("<2 bytes>"))
        #expect(self.command(.post, [:], "a\0b", showsSecrets: true).arguments.contains("<3 bytes>"))
    }

    @Test
    func `files and forms are named, streams and secrets are not shown`() throws {
        let form = MultipartForm().field("title", "it's").field("api_key", "hidden")
            .file("photo", "/photos/a.png").data("note", Data([1, 2]), fileName: "n.bin")
        let fixed: HTTPFields = [.contentType: "multipart/form-data; boundary=x", .accept: "text/plain"]
        let body = try MultipartBody(form, boundary: MultipartBoundary("x"))

        let file = CurlCommand(method: .put, url: url, headers: [.contentType: "text/csv"], body: .file("/a b.csv"))
        let sent = RequestBody(content: .multipart(body), contentType: body.contentType)
        let command = CurlCommand(method: .put, url: url, headers: fixed, body: sent)
        let coded = CurlCommand(
            method: .put,
            url: url,
            headers: [.contentEncoding: "gzip", .contentType: "text/plain"],
            body: .bytes(Data("text".utf8)).compressed(.gzip),
            showsSecrets: true
        )
        let stream = CurlCommand(method: .put, url: url, body: .stream(AsyncStream<Data> { $0.finish() }, length: 7))

        #expect(file.arguments.suffix(2) == ["--data-binary", "@/a b.csv"])
        #expect(
            command.arguments.suffix(10) == [
                "--header", "Accept: text/plain", "--form-string", "title=it's", "--form-string", "api_key=<redacted>",
                "--form", #"photo=@"/photos/a.png";type=image/png;filename="a.png""#,
                "--form-string", "note=<2 bytes>",
            ]
        )
        #expect(coded.arguments.suffix(4) == ["--header", "Content-Type: text/plain", "--data-raw", "text"])
        #expect(stream.arguments.contains("<a stream, 7 bytes>"))
    }

    @Test
    func `a node says what sending it would send, and sends nothing`() async throws {
        let client = StubbedClient()
        client.manager.options = client.manager.options.header(.acceptLanguage) { "de" }
        let node = client.manager.request(Void.self).method(.post).endpoint("/users/{id}").parameter("id", "a b")
            .values(["name": "kim"])
        let command = try await node.curlCommand()
        #expect(command.arguments.contains("https://api.example.com/v1/users/a%20b"))
        #expect(command.arguments.contains("Accept-Language: de"))
        #expect(command.arguments.contains(#"{"name":"kim"}"#))
        #expect(client.requests.isEmpty)
        await #expect(throws: RestClientError.self) { try await node.server("unknown").curlCommand() }
    }

    @Test
    func `a printer prints each attempt that is not muted`() async throws {
        let commands = Recorder<String>()
        let client = StubbedClient {
            $0 = $0.interceptors(CurlPrinter { commands.record($0.description) }, perAttempt: true)
        }
        try await client.manager.request(Void.self).endpoint("/a").send()
        try await client.manager.request(Void.self).endpoint("/b").muted().send()
        #expect(commands.count == 1)
        #expect(commands.elements.first?.contains("'https://api.example.com/v1/a'") == true)
    }

    @Test(arguments: [
        ("https://a.example/b/../c", true), ("https://a.example/b/./c", true), ("https://a.example/b/%2e%2E/c", true),
        ("https://a.example/..", true), ("https://a.example/b..c/.d?x=/../y", false), ("https://a.example", false),
    ])
    func `dot segments are sent by curl too`(url: String, isAsIs: Bool) {
        let command = CurlCommand(method: .get, url: url)

        #expect(command.arguments.contains("--path-as-is") == isAsIs)
        #expect(command.arguments.contains("--globoff") && command.arguments.contains(url))
    }
}
