// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

/// The words for errors of BoringSSL, which come with other text around them.
@Suite
struct TLSReasonTests {
    @Test(arguments: [
        ("CERTIFICATE_VERIFY_FAILED", "certificate has expired"),
        ("TLSV1_ALERT_PROTOCOL_VERSION", "no version of TLS"),
        ("WRONG_VERSION_NUMBER", "does not speak TLS"),
        ("TLSV1_ALERT_CERTIFICATE_REQUIRED", "requires a client certificate"),
        ("SSLV3_ALERT_HANDSHAKE_FAILURE", "none of the offered ciphers"),
        ("TLSV1_ALERT_NO_APPLICATION_PROTOCOL", "none of the offered versions of HTTP"),
        ("EOF during handshake", "closed the connection during the handshake"),
        ("ANYTHING_ELSE", "see whether its certificate is trusted"),
    ])
    func `a failed handshake says in words what failed`(name: String, words: String) {
        let description = "Error: 268435612 error:1000009c:SSL routines:OPENSSL_internal:\(name) at tls_record.cc:592"

        #expect(TLSReason.text(of: description).contains(words))
    }
}
