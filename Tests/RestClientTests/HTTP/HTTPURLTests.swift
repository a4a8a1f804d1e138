// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

/// RFC 3986, section 5.4.
@Suite
struct HTTPURLTests {
    private func resolve(_ reference: String, on base: String = "http://a/b/c/d;p?q") throws -> String {
        try HTTPURL(reference, relativeTo: try HTTPURL(base)).text
    }

    @Test(arguments: [
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
    ])
    func `a reference resolves as in the normal examples`(reference: String, url: String) throws {
        #expect(try resolve(reference) == url)
    }

    @Test(arguments: [
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
        ("http:g", "http://a/b/c/g"),
    ])
    func `a reference resolves as in the abnormal examples`(reference: String, url: String) throws {
        #expect(try resolve(reference) == url)
    }

    @Test(arguments: [
        ("http://a", "g", "http://a/g"),
        ("http://a?x", "g", "http://a/g"),
        ("http://a", "?y", "http://a/?y"),
        ("http://a/b/", "%2e%2e/g", "http://a/g"),
        ("http://a/b/", "%2E%2e/g", "http://a/g"),
        ("http://a/b", "HTTPS://C/d", "https://c/d"),
    ])
    func `a base without a path and encoded dots are understood`(base: String, reference: String, url: String) throws {
        #expect(try resolve(reference, on: base) == url)
    }

    @Test(arguments: [
        ("http://a/", "HTTP://A:80/x", true),
        ("https://a/", "https://a:443", true),
        ("https://a/", "http://a/", false),
        ("https://a/", "https://a:8443/", false),
        ("https://a/", "https://b/", false),
        ("https://a/", "https://sub.a/", false),
        ("https://a/", "https://kim@a/", true),
        ("https://a/", "https://a@b/", false),
        ("http://a:443/", "http://a/", false),
    ])
    func `an origin is scheme, host and port`(left: String, right: String, isSame: Bool) throws {
        let (left, right) = (try HTTPURL(left), try HTTPURL(right))
        #expect((left.origin == right.origin) == isSame)
        #expect(left.hasOrigin(of: right) == isSame)
    }

    @Test(
        arguments: [
            ("https://A.example:443/v1?x#y", "https://a.example", "/v1", "x"),
            ("http://[2001:DB8:0::1]:8080", "http://[2001:db8::1]:8080", "", nil),
            ("https://a/b|c/../d?'{}", "https://a", "/b|c/../d", "'{}"),
            ("https://a?x=/", "https://a", "", "x=/"),
        ] as [(String, String, String, String?)]
    )
    func `a whole URL keeps path and query as written`(
        text: String,
        origin: String,
        path: String,
        query: String?
    ) throws {
        let url = try HTTPURL(whole: text)
        #expect(url.origin == origin)
        #expect(url.path == path)
        #expect(url.query == query)
    }

    @Test(arguments: [
        ("/a", "http:// or https://"), ("ftp://a/b", "http:// or https://"), ("a.example/b", "http:// or https://"),
        ("https://", "no host"), ("https://kim@a/", "Authorization header"), ("https://a b/", "U+20"),
        ("https://a/ä", "U+E4"), ("https://a:0/", "not a port number"), ("https://1.2.3.400/", "not a host name"),
    ])
    func `a text that is not a whole URL is refused with its reason`(text: String, reason: String) {
        let defect = #expect(throws: HTTPURL.Defect.self) { try HTTPURL(whole: text) }
        #expect(defect?.reason.contains(reason) == true, "\(defect?.reason ?? "")")
    }

    @Test(
        arguments: [
            ("https://a/b/c?d=e#f", "/b/c", "d=e"), ("/b?d", "/b", "d"), ("//a/b", "/b", nil), ("https://a", "", nil),
            ("b/c:d?x=http://y", "b/c:d", "x=http://y"), ("#f?x", "", nil),
            ("/b?\u{301}d#\u{301}f", "/b", "\u{301}d"), ("https://\u{301}a/\u{301}b", "/\u{301}b", nil),
        ] as [(String, String, String?)]
    )
    func `path and query are found in any reference`(text: String, path: String, query: String?) {
        #expect(HTTPURL.path(of: text) == path)
        #expect(HTTPURL.query(of: text).map(String.init) == query)
    }
}
