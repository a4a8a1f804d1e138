// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct PageURLTests {
    private let base = "https://api.example.com/v1/items?page=1"

    @Test(
        arguments: [
            ("<?page=2>; rel=next", "?page=2"),
            ("<?page=0>; rel=prev, <?page=2>; rel=\"last next\"", "?page=2"),
            ("<a>; rel=next, <b>; rel=next", "a"),
            ("<?page=0>; rel=prev", nil),
            ("<a>; rel=nexter", nil),
            ("<a>; rel=next; anchor=\"/other\", <b>; rel=next", "b"),
            ("<a>; rel=next; anchor=\"\", <b>; rel=next", "a"),
            ("<a>; rel=next; anchor=\"?page=1#top\"", "a"),
            ("<a>; rel=next; anchor=\"https://evil.example/\"", nil),
            ("<a>; rel=next; anchor=\"https://[\", <b>; rel=next", "b"),
        ] as [(String, String?)]
    )
    func `the next page is the first link that leads on from this one`(value: String, expected: String?) throws {
        let links = WebLink.links(in: [value])

        #expect(PageURL.reference(in: links, of: try HTTPURL(base)) == expected)
    }

    @Test(arguments: [
        ("?page=2", "https://api.example.com/v1/items?page=2"), ("/v2", "https://api.example.com/v2"),
        ("more", "https://api.example.com/v1/more"), ("//api.example.com/x", "https://api.example.com/x"),
        ("https://api.example.com:443/x#f", "https://api.example.com/x"),
        ("HTTPS://API.example.com/x", "https://api.example.com/x"),
    ])
    func `a URL is resolved against that of the page`(reference: String, expected: String) throws {
        #expect(try PageURL.url(reference, of: HTTPURL(base), origins: .same, allowsPlainHTTP: false).text == expected)
    }

    @Test(arguments: [
        "https://evil.example/v1/items?page=2", "http://api.example.com/v1/items?page=2",
        "https://api.example.com:8443/x", "//evil.example/x", "https://api.example.com.evil.example/",
    ])
    func `a URL of another origin is rejected if the rule requires it`(reference: String) throws {
        let base = try HTTPURL(base)
        #expect(try !PageURL.url(reference, of: base, origins: .any, allowsPlainHTTP: true).hasOrigin(of: base))

        let error = #expect(throws: RestClientError.self) {
            try PageURL.url(reference, of: base, origins: .same, allowsPlainHTTP: true)
        }

        #expect(error?.code == .pageRefused)
    }

    @Test(arguments: [
        ("https://api.example.com/v1", "http://api.example.com/v1?page=2", false),
        ("https://api.example.com/v1", "http://other.example/", false),
        ("https://api.example.com/v1", "https://other.example/", true),
        ("http://api.example.com/v1", "http://api.example.com/v1?page=2", true),
        ("http://api.example.com/v1", "//other.example/", true),
        ("http://api.example.com/v1", "https://api.example.com/v1?page=2", true),
    ])
    func `a page leads from https to http only if that is allowed`(base: String, reference: String, isSafe: Bool) throws
    {
        let base = try HTTPURL(base)
        func scheme(allowsPlainHTTP: Bool) throws -> String {
            try PageURL.url(reference, of: base, origins: .any, allowsPlainHTTP: allowsPlainHTTP).scheme
        }

        #expect(try scheme(allowsPlainHTTP: true) == (reference.hasPrefix("https") ? "https" : "http"))
        if isSafe {
            #expect(throws: Never.self) { try scheme(allowsPlainHTTP: false) }
        } else {
            let error = #expect(throws: RestClientError.self) { try scheme(allowsPlainHTTP: false) }
            #expect(error?.code == .pageRefused)
            #expect(error?.message.contains("allowingPlainHTTP") == true)
        }
    }

    @Test(arguments: ["file:///etc/passwd", "javascript:1", "https://kim:secret@api.example.com/x", "https://"])
    func `an invalid URL, or one with a user name, is rejected`(reference: String) throws {
        for origins in [PageOrigins.any, .same] {
            let error = #expect(throws: RestClientError.self) {
                try PageURL.url(reference, of: HTTPURL(base), origins: origins, allowsPlainHTTP: true)
            }
            #expect(error?.code == .pageRefused)
            #expect(error?.message.contains("secret") == false)
        }
    }
}
