// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

/// The reading of paths by the most lenient reader, and the owners of URLs.
@Suite
struct PathReadingTests {
    @Test(arguments: [
        "/a/../b", "/a/..", "/a/%2e%2e/b", "/a/.%2E/b", "/a/%2e./b", "/a/..%2fb", "/a/x%2f..%2f..%2fb", "/a/..%5cb",
        #"/a/x\..\b"#, "/a/..;/b", "/a/..;x=1/b", "/a/%2e%2e%3b/b", "/a/%252e%252e/b", "/a/%25252e./b", "/a/%%32e./b",
        "/a/..%00/b", "/a/.%09./b", "/a/.%0d%0a./b", "/a/..%20/b", "/a/%c0%ae%c0%ae/b", "/a/..%c0%afb", "/a/..%c1%9cb",
        "/a/%e0%80%ae./b", "/a/%f0%80%80%ae./b", "/a/%u002e%u002E/b", "/a/%ef%bc%8e%ef%bc%8e/b", "/a/..%ef%bc%8fb",
        "/a/%e2%80%a4./b",
    ])
    func `a path climbs if any reader finds a dot segment that leads upwards`(path: String) {
        #expect(PathReading(path).climbs)
        #expect(PathReading.dotSegment(in: path) != nil)
    }

    @Test(
        arguments: [
            ("/a/b", ["a", "b"]), ("//a///b/", ["a", "b"]), ("/a/./b", ["a", "b"]), ("/a%2Fb", ["a", "b"]),
            (#"/a\b"#, ["a", "b"]), ("/A;v=1/b;", ["a", "b"]), ("/%61/%2562", ["a", "b"]),
            ("/a/b..c/...", ["a", "b..c", "..."]),
            ("/..a/b", ["..a", "b"]), ("/%EF%BD%81", ["a"]), ("/a%20b/1.2", ["a b", "1.2"]), ("", []), ("/", []),
        ] as [(String, [String])]
    )
    func `paths that some reader takes for the same have equal segments`(path: String, segments: [String]) {
        let reading = PathReading(path)

        #expect(reading.segments.map { String(decoding: $0, as: UTF8.self) } == segments)
        #expect(!reading.climbs)
    }

    @Test(arguments: [
        ("/a/..", ".."), ("/a/%2E./b", "%2E."), ("/./a", "."), ("/a%2f..%2fs3cret", ".."), ("/a/b.c/%20/%", nil),
        ("/a/.../b..", nil),
    ])
    func `a dot segment is named without what is around it`(path: String, segment: String?) {
        #expect(PathReading.dotSegment(in: path) == segment)
    }

    @Test
    func `the time to read a path grows with its length`() {
        func time(_ count: Int) -> Duration {
            let path = "/" + String(repeating: "%25", count: 1) + String(repeating: "25", count: count) + "2e./"
            return (0..<5).map { _ in ContinuousClock().measure { _ = PathReading(path) } }.min() ?? .zero
        }

        _ = time(1_000)
        #expect(time(40_000) / time(10_000) < 12)
    }

    // MARK: - Owners

    private static let addresses = [
        "https://gw.example/pay", "https://gw.example/pay/v2", "https://gw.example/mail", "https://root.example",
    ]

    private static func owner(_ url: String, _ addresses: [String] = addresses) throws -> HTTPURL.Owner {
        try HTTPURL(sent: url).owner(among: addresses.map { try HTTPURL(server: $0) })
    }

    @Test(
        arguments: [
            ("https://gw.example/pay", "/pay"), ("https://gw.example/pay/", "/pay"),
            ("https://gw.example/pay?x", "/pay"),
            ("HTTPS://GW.example:443/pay/x", "/pay"), ("https://gw.example./pay/x", "/pay"),
            ("https://gw.example/pay/v2/x", "/pay/v2"), ("https://gw.example/pay/v2x", "/pay"),
            // No reader sees another server here, as in the paths of GitLab.
            ("https://gw.example/pay/group%2Fproject//x", "/pay"), ("https://gw.example/pay/./x;y/z", "/pay"),
            ("https://root.example", ""), ("https://root.example/a/../..//b", ""),
        ]
    )
    func `a URL belongs to the server of its origin with the longest path`(url: String, path: String) throws {
        #expect(try Self.owner(url) == .server(path: path))
    }

    @Test(
        arguments: [
            "https://gw.example/", "https://gw.example", "https://gw.example/payx", "https://gw.example/x/pay",
            "http://gw.example/pay", "https://gw.example:8443/pay", "https://other.example/pay",
            "https://gw.example.evil.example/pay",
        ]
    )
    func `a URL elsewhere belongs to nobody`(url: String) throws {
        #expect(try Self.owner(url) == .nobody)
    }

    @Test(
        arguments: [
            "/mail/../pay/x", "/mail/%2e%2e/pay", #"/mail/x\..\..\pay"#, "/mail/x%2f..%2f..%2fpay", "/mail/..;/pay",
            "//pay/x", "/%70ay/x", "/PAY/x", "/pay%2fx", "/pay;x/y", "/pay/%76%32/x", "/pay//v2/x", #"/pay\v2"#,
            "/pay/V2/x", "/./pay/x", "/pay/v2;a/x",
        ]
    )
    func `a URL about whose server readers may disagree belongs to none`(path: String) throws {
        #expect(try Self.owner("https://gw.example" + path) == .unclear)
    }

    @Test
    func `a server for a whole origin leaves to others what is theirs`() throws {
        let both = ["https://gw.example", "https://gw.example/pay"]

        #expect(try Self.owner("https://gw.example/x", both) == .server(path: ""))
        #expect(try Self.owner("https://gw.example/pay/x", both) == .server(path: "/pay"))
        #expect(try Self.owner("https://gw.example/x/../pay", both) == .unclear)
        #expect(try Self.owner("https://gw.example//pay", both) == .unclear)
    }
}
