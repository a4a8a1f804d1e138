// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct CurlReadingTests {
    private static let url = "https://api.example.com/a"

    /// The lines of the source, without the first and the last one.
    private static func calls(_ arguments: String) throws -> [String] {
        let lines = try CurlCommand.swiftSource(of: "curl \(arguments)").split(separator: "\n").map(String.init)
        #expect(lines.first == "try await manager.request()")
        #expect(lines.last == "    .send()")
        return lines.dropFirst().dropLast().map { String($0.dropFirst(5)) }
    }

    @Test(
        arguments: [
            ("", []), ("-X DELETE", ["delete()"]), ("-XPOST", ["post()"]), ("-I", ["head()"]),
            ("--request OPTIONS", ["method(.options)"]),
            ("-X PURGE", [#"method(HTTPRequest.Method("PURGE")!)"#]),
            ("-sSL --compressed -g -i -v -N -f --no-progress-meter", []),
            ("-H 'X-A: b c '", [#"header("X-A", "b c")"#]), ("-H'X-A:b'", [#"header("X-A", "b")"#]),
            ("-H 'X-A;' -H 'X-B:' -H 'Content-Length: 3'", [#"header("X-A", "")"#]),
            ("-H 'X-A: b' -H 'x-a: c'", [#"header("X-A", "b, c")"#]),
            ("-b 'a=b' -H 'Cookie: c=d'", [#"header("Cookie", "a=b; c=d")"#]),
            ("--compressed -H 'Accept-Encoding: br'", []),
            ("-H 'Accept-Encoding: br'", [#"header("Accept-Encoding", "br")"#]),
            ("-A a -e b", [#"header("Referer", "b")"#, #"header("User-Agent", "a")"#]),
            ("-H 'User-Agent:'", [#"header("User-Agent", "")"#]), ("-r 0-9", [#"header("Range", "bytes=0-9")"#]),
            ("-u 'kim:a:b'", [#"basic(user: "kim", password: "a:b")"#]), ("--oauth2-bearer t", [#"bearer("t")"#]),
            ("-m 2.5", ["timeout(.seconds(2.5))"]), ("-m 0", ["timeout(nil)"]), ("--retry 2", ["retry(3)"]),
            ("--max-redirs 0", ["redirects(.follow(limit: 0))"]),
            (
                "-d a=b -d c",
                ["post()", #"body(.bytes(Data("a=b&c".utf8), contentType: "application/x-www-form-urlencoded"))"#]
            ),
            (
                "-X PUT --data-raw '@a'",
                ["put()", #"body(.bytes(Data("@a".utf8), contentType: "application/x-www-form-urlencoded"))"#]
            ),
            (
                "-H 'content-type: application/json' -d '{\"a\":1}'",
                ["post()", ##"body(.bytes(Data(#"{"a":1}"#.utf8), contentType: "application/json"))"##]
            ),
            (
                "--json '{' --json '}'",
                [
                    "post()", #"header("Accept", "application/json")"#,
                    #"body(.bytes(Data("{}".utf8), contentType: "application/json"))"#,
                ]
            ),
            ("-d a -H 'Content-Type:'", ["post()", #"body(.bytes(Data("a".utf8), contentType: nil))"#]),
            (
                "--data-urlencode 'a=b c' --data-urlencode 'd&' --data-urlencode '=e='",
                [
                    "post()",
                    #"body(.bytes(Data("a=b%20c&d%26&e%3D".utf8), contentType: "application/x-www-form-urlencoded"))"#,
                ]
            ),
            (
                "--data-binary @/a.csv -H 'Content-Type: text/csv'",
                ["post()", #"body(.file("/a.csv", contentType: "text/csv"))"#]
            ),
            ("-T /a.csv", ["put()", #"body(.file("/a.csv"))"#]),
            (
                "-F 'a=b' -F 'c=@\"/d e.png\";type=image/png;filename=\"f;g\"' -H 'Content-Type: multipart/form-data'",
                [
                    "post()",
                    #"body(.multipart(MultipartForm().field("a", "b").file("c", "/d e.png", fileName: "f;g", contentType: "image/png")))"#,
                ]
            ),
            (
                "-F 'a={};type=text/plain;charset=utf-8' --form-string 'b=@c;d'",
                [
                    "post()",
                    #"body(.multipart(MultipartForm().data("a", Data("{}".utf8), contentType: "text/plain;charset=utf-8").field("b", "@c;d")))"#,
                ]
            ),
        ] as [(String, [String])]
    )
    func `options become the methods of a node`(options: String, calls: [String]) throws {
        #expect(try Self.calls("\(options) \(Self.url)") == [#"url("https://api.example.com/a")"#] + calls)
    }

    @Test(arguments: [
        ("api.example.com", "https://api.example.com"), ("localhost:8080/a", "http://localhost:8080/a"),
        ("http://api.example.com/a#b", "http://api.example.com/a"), ("--url https://a.example/", "https://a.example/"),
        ("-G -d a=b -d c=d 'https://a.example/?e'", "https://a.example/?e&a=b&c=d"),
        ("-g 'https://a.example/?e[]=1'", "https://a.example/?e[]=1"), ("'http://[::1]:80/a'", "http://[::1]:80/a"),
    ])
    func `a URL is that of the command`(arguments: String, url: String) throws {
        #expect(try Self.calls(arguments) == ["url(\"\(url)\")"])
    }

    @Test(arguments: [
        ("wget a", "does not begin with 'curl'"), ("curl", "has no URL"), ("curl -s", "has no URL"),
        ("curl a.example b.example", "two URLs"), ("curl --frobnicate a.example", "'--frobnicate'"),
        ("curl -k a.example", "'-k'"), ("curl -sk a.example", "'-k'"), ("curl --insecure a.example", "'--insecure'"),
        ("curl -x proxy a.example", "'-x'"), ("curl -o a a.example", "'-o'"), ("curl --next a.example", "'--next'"),
        ("curl a.example -X", "'-X'"), ("curl a.example --header", "'--header'"), ("curl -X 'A B' a.example", "method"),
        ("curl -H 'X-A b' a.example", "without a colon"),
        ("curl -H 'X A: b' a.example", "not a valid header field name"),
        ("curl -H $'X-A: b\\nc' a.example", "line break"), ("curl -H @a a.example", "from a file"),
        ("curl -b a.txt a.example", "CookieJar"), ("curl -u kim a.example", "without a password"),
        ("curl -m soon a.example", "seconds"), ("curl -m nan a.example", "seconds"),
        ("curl --retry -1 a.example", "count"),
        ("curl -d @a a.example", "--data-binary"), ("curl --data-urlencode a@b a.example", "from a file"),
        ("curl --data-binary @- a.example", "standard input"), ("curl -d a -F b=c a.example", "two bodies"),
        ("curl -F a a.example", "equals sign"), ("curl -F 'a=<b' a.example", "from a file"),
        ("curl -F 'a=@b,c' a.example", "several files"), ("curl -F 'a=b;c=d' a.example", "--form-string"),
        ("curl -F 'a=\"b' a.example", "quotation marks"), ("curl -F 'a=@b;headers=c' a.example", "--form-string"),
        ("curl 'https://a.example/[1-3]'", "--globoff"), ("curl ftp://a.example", "http"),
        ("curl https://kim:s3cret@a.example/", "user name"), ("curl -T a https://a.example/b/", "write 'a'"),
        ("curl 'https://a.example/b c'", "percent-encoded"), ("curl -e 'a;auto' a.example", "'-e'"),
    ])
    func `a command that is no single request is refused with the reason`(command: String, reason: String) {
        let error = #expect(throws: RestClientError.self) { try CurlCommand.swiftSource(of: command) }

        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(throws: RestClientError.self) { try RequestNode(curl: command, readsFiles: true) }
    }

    @Test(arguments: [
        "curl --frobnicate=s3cret a.example", "curl -ks3cret a.example", "curl 'https://kim:s3cret@a.example/'",
        "curl -H 's3cret' a.example", "curl -u s3cret a.example", "curl '--s3 cret s3cret' a.example",
    ])
    func `an error contains no value of the command`(command: String) {
        let error = #expect(throws: RestClientError.self) { try RequestNode(curl: command) }

        #expect(error?.message.contains("s3cret") == false)
    }

    @Test
    func `a node of a command sends what curl would send`() async throws {
        let client = StubbedClient(answering: .text("7"))
        let command = """
            curl 'https://api.example.com/orders?page=2' \\
              -X PATCH -H 'accept: application/json' -u kim:secret \\
              --data-raw $'{"note": "it\\'s"}' -H 'content-type: application/json' --compressed
            """

        let number = try await client.manager.run(try RequestNode(Int.self, curl: command))

        let request = try #require(client.requests.first)
        #expect(number == 7)
        #expect(request.method == .patch)
        #expect(request.url == "https://api.example.com/orders?page=2")
        #expect(request.headers[.accept] == "application/json")
        #expect(request.headers[.authorization] == "Basic a2ltOnNlY3JldA==")
        #expect(request.headers[.contentType] == "application/json")
        #expect(request.bodyText == #"{"note": "it's"}"#)
    }

    @Test(arguments: ["--data-binary @/etc/hostname", "-T /etc/hostname", "-F a=b -F c=@/etc/hostname"])
    func `a command takes no file along unless it may`(options: String) throws {
        let command = "curl \(options) \(Self.url)"

        let error = #expect(throws: RestClientError.self) { try RequestNode(curl: command) }

        #expect(error?.code == .invalidCurlCommand)
        #expect(error?.message.contains("'hostname'") == true)
        _ = try RequestNode(curl: command, readsFiles: true)
    }

    @Test
    func `a command that the library writes is read as the same request`() async throws {
        let client = StubbedClient()
        let node = client.manager.request(Void.self).put().endpoint("/a/{b}").parameter("b", "c d'\n{}[]")
            .query("e", "f&g").header(.acceptLanguage, "de").bearer("t")
            .body(.bytes(Data("it's\n\"ä\"".utf8), contentType: "text/plain"))

        try await client.manager.run(node)
        let command = try await node.curlCommand(showsSecrets: true)
        _ = try await client.manager.run(try RequestNode(curl: command.description))

        let requests = client.requests
        #expect(requests.first?.url == requests.last?.url)
        #expect(requests.first?.method == requests.last?.method)
        #expect(requests.first?.bodyText == requests.last?.bodyText)
        #expect(requests.first?.headers[.authorization] == requests.last?.headers[.authorization])
        #expect(requests.first?.headers[.contentType] == requests.last?.headers[.contentType])
        #expect(requests.count == 2)
    }

    @Test(arguments: [
        ("", "\"\""), ("a", "\"a\""), (#"a"b"#, ##"#"a"b"#"##), (#"a\(b)"#, ##"#"a\(b)"#"##),
        (##"a"#b"##, ###"##"a"#b"##"###), ("\"", #""\"""#), ("\"\"a", #""\"\"a""#), ("a\nb", #""a\u{A}b""#),
        ("a\"\n\\", #""a\"\u{A}\\""#), ("a\u{202E}b", #""a\u{202E}b""#), ("#", "\"#\""),
        (##"\#(a)"##, ###"##"\#(a)"##"###),
    ])
    func `a literal ends nowhere but at its end`(text: String, literal: String) {
        #expect(SwiftLiteral.of(text) == literal)
    }
}
