// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct NetrcTests {
    private static let text = """
        # a comment
        machine api.example.com
            login kim
            password secret
        machine quoted.example login "a b" password "c \\"d\\" \\\\ #e" account f
        machine HASH.example. login kim password a#b
        machine api.example.com login other password other
        machine empty.example password only
        macdef init
            machine evil.example login evil password evil

        machine last.example login kim
        default login anyone password else
        """

    @Test(
        arguments: [
            ("api.example.com", "kim", "secret"), ("quoted.example", "a b", #"c "d" \ #e"#),
            ("hash.example", "kim", "a#b"),
            ("empty.example", nil, "only"), ("last.example", "kim", ""), ("evil.example", "anyone", "else"),
            ("other.example", "anyone", "else"),
        ] as [(String, String?, String)]
    )
    func `the first entry of a machine counts, otherwise the default`(
        host: String,
        user: String?,
        password: String
    ) throws {
        let entry = try Netrc(text: Self.text).entry(for: host, usesDefault: true)

        #expect(entry == Netrc.Entry(user: user, password: password))
    }

    @Test
    func `the default is for registered servers only`() throws {
        let netrc = try Netrc(text: Self.text)

        #expect(netrc.entry(for: "other.example", usesDefault: false) == nil)
        #expect(netrc.entry(for: "last.example", usesDefault: false) != nil)
        #expect("\(netrc)" == "a .netrc file of 5 machines")
    }

    @Test(arguments: [
        ("machine", "missing"), ("machine a login", "missing"), ("login kim", "line 1"),
        ("machine a\nlogin kim\npassword s3 cret", "line 3"),
        ("machine a password \"s3cret", "quotation mark in line 1"),
        ("machine a login s3cret:b", "colon"), ("machine a s3cret", "line 1"),
        ("machine a login \"b\\", "quotation mark"),
    ])
    func `a malformed file is refused with the place, and without its words`(text: String, reason: String) {
        let error = #expect(throws: RestClientError.self) { try Netrc(text: text) }

        #expect(error?.code == .invalidNetrc)
        #expect(error?.message.contains(reason) == true)
        #expect(error?.message.contains("cret") == false)
    }

    // MARK: - Files

    private static func file(in directory: TemporaryDirectory, mode: Int) throws -> String {
        let path = directory.path("netrc").path
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test(arguments: [0o600, 0o400])
    func `a file that only its owner can read is read, also behind a link`(mode: Int) throws {
        let directory = try TemporaryDirectory()
        let path = try Self.file(in: directory, mode: mode)
        try FileManager.default.createSymbolicLink(atPath: "\(path).link", withDestinationPath: path)

        #expect(try Netrc(file: path).entry(for: "api.example.com", usesDefault: false) != nil)
        #expect(try Netrc(file: "\(path).link").entry(for: "api.example.com", usesDefault: false) != nil)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o644])
    func `a file that others can read or change is refused`(mode: Int) throws {
        let directory = try TemporaryDirectory()
        let path = try Self.file(in: directory, mode: mode)

        let error = #expect(throws: RestClientError.self) { try Netrc(file: path) }

        #expect(error?.code == .invalidNetrc)
        #expect(error?.message.contains("chmod 600") == true)
    }

    @Test
    func `a missing file and a folder are errors that name it`() throws {
        let directory = try TemporaryDirectory()

        let missing = #expect(throws: RestClientError.self) { try Netrc(file: "/nowhere/netrc") }
        let folder = #expect(throws: RestClientError.self) { try Netrc(file: directory.url.path) }

        #expect(missing?.message.contains("'/nowhere/netrc'") == true)
        #expect(folder?.message.contains("not a regular file") == true)
    }

    // MARK: - Calls

    private static let basic = "Basic " + Data("kim:secret".utf8).base64EncodedString()
    private static let other = "Basic " + Data("anyone:else".utf8).base64EncodedString()

    @Test
    func `a call sends the entry of its machine, unless a level says otherwise`() async throws {
        let client = StubbedClient()
        let netrc = try Netrc(text: Self.text)
        client.manager.options = client.manager.options.netrc(netrc)
        client.manager.servers["other"] = "https://other.example"
        let node = client.manager.request(Void.self)

        for node in [
            node.endpoint("/a"), node.server("other").endpoint("/a"), node.url("https://foreign.example/a"),
            node.url("https://last.example/a"), node.endpoint("/a").bearer("t"), node.endpoint("/a").netrc(nil),
            node.endpoint("/a").authentication(.anonymous), node.url("https://empty.example/a"),
        ] {
            try await client.manager.run(node)
        }

        let last = "Basic " + Data("kim:".utf8).base64EncodedString()
        #expect(
            client.requests.map { $0.headers[.authorization] }
                == [Self.basic, Self.other, nil, last, "Bearer t", nil, nil, nil]
        )
    }

    @Test
    func `a redirect to another machine gets neither entry`() async throws {
        let client = StubbedClient(answering: .redirect(302, to: "https://last.example/b"), .text("a"))

        try await client.manager.run(
            client.manager.request(Void.self).endpoint("/a").netrc(try Netrc(text: Self.text))
        )

        #expect(client.requests.map { $0.headers[.authorization] } == [Self.basic, nil])
    }

    @Test
    func `explanations name the file as the origin of the field`() async throws {
        let client = StubbedClient()
        let node = client.manager.request(Void.self).endpoint("/a").netrc(try Netrc(text: Self.text))

        let story = try await node.response().explain()

        #expect(story.contains("The request had credentials in Authorization, from the .netrc file of the call."))
        #expect(!story.contains(Self.basic.dropFirst(6)))
    }

    @Test
    func `a file behind other credentials of its level is found by lint`() async throws {
        let manager = StubbedClient().manager
        manager.options = manager.options.netrc(try Netrc(text: Self.text))
        #expect(await manager.lint().isEmpty)
        manager.options = manager.options.bearer("t")

        let issues = await manager.lint()

        #expect(issues.map(\.kind) == [.ineffectiveOption])
        #expect(issues.first?.message.contains("the manager sets both a .netrc file and other credentials") == true)
    }
}
