// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

/// RFC 3986, section 5.4.
@Suite
struct URLReferenceTests {
    private static let base = URLReference("http://a/b/c/d;p?q")

    private func text(_ reference: URLReference) -> String {
        var text = ""
        if let scheme = reference.scheme {
            text += scheme + ":"
        }
        if let authority = reference.authority {
            text += "//" + authority
        }
        text += reference.path
        if let query = reference.query {
            text += "?" + query
        }
        if let fragment = reference.fragment {
            text += "#" + fragment
        }
        return text
    }

    @Test(arguments: [
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
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
    func `a reference resolves as in the normal examples`(reference: String, url: String) {
        #expect(text(Self.base.resolving(URLReference(reference))) == url)
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
        ("http:g", "http:g"),
    ])
    func `a reference resolves as in the abnormal examples`(reference: String, url: String) {
        #expect(text(Self.base.resolving(URLReference(reference))) == url)
    }

    @Test(arguments: [
        ("http://a", "g", "http://a/g"),
        ("http://a?x", "g", "http://a/g"),
        ("http://a", "?y", "http://a?y"),
        ("http://a/b/", "%2e%2e/g", "http://a/g"),
        ("http://a/b/", "%2E%2e/g", "http://a/g"),
        ("http://a/b", "HTTPS://C/d", "https://C/d"),
    ])
    func `a base without a path and encoded dots are understood`(base: String, reference: String, url: String) {
        #expect(text(URLReference(base).resolving(URLReference(reference))) == url)
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
    func `an origin is scheme, host and port`(left: String, right: String, isSame: Bool) {
        #expect((URLReference(left).origin == URLReference(right).origin) == isSame)
    }

    @Test
    func `the fragment is never sent, and an empty path becomes a slash`() {
        #expect(URLReference("https://a?x#y").textForSending == "https://a/?x")
        #expect(URLReference("https://a/b#y").textForSending == "https://a/b")
    }
}
