// SPDX-License-Identifier: MIT

import Testing

@testable import HTTPWire

@Suite
struct WireOriginTests {
    private static let names: [(host: String, name: String?)] = [
        ("api.example.com", "api.example.com"), ("a.test", "a.test"), ("a.test.", "a.test"), ("a.test..", "a.test."),
        ("localhost", "localhost"), ("127.0.0.1", nil), ("127.0.0.1.", nil), ("::1", nil), ("fe80::1", nil),
    ]

    @Test(arguments: names)
    func `the name for TLS is that of the host, without the dot of an absolute name`(host: String, name: String?) {
        #expect(WireOrigin(isSecure: true, host: host, port: 443).serverName == name)
    }
}
