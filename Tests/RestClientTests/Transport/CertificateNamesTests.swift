// SPDX-License-Identifier: MIT

import HTTPWire
import NIOSSL
import TestSupport
import Testing

/// The names in certificates, by RFC 9525.
@Suite
struct CertificateNamesTests {
    @Test(arguments: [
        ("www.example", "www.example", true), ("www.example", "WWW.example.", true), ("www.example", "example", false),
        ("www.example", "a.www.example", false), ("*.shop.example", "a.shop.example", true),
        ("*.shop.example", "shop.example", false), ("*.shop.example", "a.b.shop.example", false),
        ("*.example", "shop.example", false), ("f*.shop.example", "fa.shop.example", false), ("*", "example", false),
        ("*.*.example", "a.b.example", false), ("10.0.0.7", "10.0.0.7", true), ("10.0.0.7", "10.0.0.8", false),
        ("10.0.0.7", "name.example", false), ("::1", "::1", true), ("::1", "0:0::1", true), ("::1", "127.0.0.1", false),
    ])
    func `a certificate is for the hosts that it names`(name: String, host: String, expected: Bool) throws {
        let identity = try TestIdentity(names: [name])
        let bytes = try identity.certificate.toDERBytes()

        #expect(CertificateDefect.find(in: bytes, for: host) == (expected ? nil : .otherNames))
        #expect(CertificateDefect.find(in: bytes) == nil)
    }
}
