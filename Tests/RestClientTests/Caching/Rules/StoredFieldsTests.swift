// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct StoredFieldsTests {
    private func storable(_ headers: HTTPFields) -> HTTPFields {
        StoredFields.storable(headers, control: CacheControl(headers))
    }

    @Test(arguments: [
        "Connection", "Keep-Alive", "TE", "Transfer-Encoding", "Upgrade", "Proxy-Authenticate", "Proxy-Connection",
        "Proxy-Authentication-Info", "Proxy-Authorization",
    ])
    func `RFC 9111, 3.1: a field of the connection is not stored`(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        #expect(storable([name: "x", .eTag: "1"]) == [.eTag: "1"])
    }

    @Test(arguments: ["Set-Cookie", "Content-Range", "Content-Encoding", "Content-Length", "X-Test", "Clear-Site-Data"])
    func `RFC 9111, 3.1: any other field is`(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        #expect(storable([name: "x"]) == [name: "x"])
    }

    @Test
    func `RFC 9110, 7.6.1: what Connection names is not stored`() throws {
        let (a, b, c) = try (
            #require(HTTPField.Name("a")), #require(HTTPField.Name("b")), #require(HTTPField.Name("c"))
        )
        #expect(storable([.connection: "A, b", a: "1", b: "2", c: "3"]) == [c: "3"])
    }

    @Test
    func `RFC 9111, 5.2.2.4: what no-cache names is not stored`() throws {
        let (a, b) = try (#require(HTTPField.Name("a")), #require(HTTPField.Name("b")))
        let headers: HTTPFields = [.cacheControl: #"no-cache="A", max-age=5"#, a: "1", b: "2"]
        #expect(storable(headers)[a] == nil)
        #expect(storable(headers)[b] == "2")
    }

    @Test(
        arguments: [
            (#"private="a, B""#, ["1", "2", "3"]), (#"private="a", no-cache="b""#, ["1", nil, "3"]),
            (#"no-cache="a, B , x""#, [nil, nil, "3"]), ("no-cache=c", ["1", "2", nil]),
            (#"no-cache="a", no-cache="c""#, [nil, "2", nil]), ("no-cache", ["1", "2", "3"]),
            (#"no-cache="""#, ["1", "2", "3"]),
        ] as [(String, [String?])]
    )
    func
        `RFC 9111, 5.2.2.4 and 5.2.2.7: no-cache keeps fields from being stored, private does so in shared caches only`(
            directive: String,
            kept: [String?]
        ) throws
    {
        let names = try ["a", "b", "c"].map { try #require(HTTPField.Name($0)) }
        var headers: HTTPFields = [.cacheControl: directive]
        for (name, value) in zip(names, ["1", "2", "3"]) { headers[name] = value }
        let stored = storable(headers)
        #expect(names.map { stored[$0] } == kept)
    }

    @Test
    func `RFC 9111, 3.2: a 304 brings fields up to date, except those that describe the bytes`() {
        let stored: HTTPFields = [
            .eTag: "1", .contentType: "a/b", .contentLength: "5", .contentEncoding: "gzip", .contentRange: "x",
            .age: "7",
        ]
        let update: HTTPFields = [
            .eTag: "2", .date: "today", .contentLength: "0", .contentEncoding: "br", .contentRange: "y",
            .connection: "close",
        ]
        let merged = StoredFields.updated(stored, by: update)
        #expect(
            merged == [
                .eTag: "2", .contentType: "a/b", .contentLength: "5", .contentEncoding: "gzip", .contentRange: "x",
                .date: "today",
            ]
        )
    }

    @Test
    func `a 304 replaces all lines of a field`() {
        var stored: HTTPFields = [:]
        stored.append(HTTPField(name: .vary, value: "a"))
        stored.append(HTTPField(name: .vary, value: "b"))
        #expect(StoredFields.updated(stored, by: [.vary: "c"])[values: .vary] == ["c"])
    }

    @Test(
        arguments: [
            ("POST", 200, true), ("PUT", 201, true), ("DELETE", 204, true), ("M-SEARCH", 302, true),
            ("PATCH", 404, false), ("POST", 500, false), ("GET", 200, false), ("HEAD", 200, false),
            ("OPTIONS", 200, false), ("PROPFIND", 200, false),
        ] as [(String, Int, Bool)]
    )
    func `RFC 9111, 4.4: what changed something makes stored responses untrue`(
        method: String,
        code: Int,
        isInvalidating: Bool
    ) throws {
        let urls = Invalidation.urls(
            method: try #require(HTTPRequest.Method(rawValue: method)),
            url: "https://h/a/b?c",
            status: .init(code: code),
            headers: [:]
        )
        #expect(urls == (isInvalidating ? ["https://h/a/b?c"] : []))
    }

    @Test
    func `RFC 9111, 4.4: so it does those of the URLs that the response names, on the same origin`() {
        func urls(_ headers: HTTPFields) -> [String] {
            Invalidation.urls(method: .post, url: "https://h/a/b", status: .created, headers: headers)
        }
        #expect(
            urls([.location: "c", .contentLocation: "/d?e"]) == ["https://h/a/b", "https://h/a/c", "https://h/d?e"]
        )
        #expect(urls([.location: "https://H:443/x"]).count == 2)
        #expect(urls([.location: "https://other/x", .contentLocation: "http://h/x"]) == ["https://h/a/b"])
    }
}
