// SPDX-License-Identifier: MIT

import NIOSSL

/// Says in words which check of a TLS handshake failed, as far as the errors of BoringSSL tell: pure.
enum TLSReason {
    /// The words for names in the errors of BoringSSL, in the order in which they are looked for.
    private static let words: [(names: [String], text: String)] = [
        (
            ["CERTIFICATE_VERIFY_FAILED"],
            "its certificate has expired, is not valid yet, is not for servers, or comes from no authority that is "
                + "trusted here"
        ),
        (
            ["UNSUPPORTED_PROTOCOL", "PROTOCOL_VERSION", "NO_PROTOCOLS_AVAILABLE"],
            "it speaks no version of TLS from 1.2 on"
        ),
        (["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"], "it does not speak TLS on this port"),
        (
            ["CERTIFICATE_REQUIRED", "ALERT_UNKNOWN_CA", "BAD_CERTIFICATE"],
            "it requires a client certificate that it trusts"
        ),
        (["HANDSHAKE_FAILURE"], "it accepts none of the offered ciphers"),
        (["EOF during handshake"], "it closed the connection during the handshake"),
        (["NO_APPLICATION_PROTOCOL"], "it speaks none of the offered versions of HTTP"),
    ]

    static func text(of error: any Error) -> String {
        if let error = error as? NIOSSLExtraError {
            switch error {
            case .failedToValidateHostname, .serverHostnameImpossibleToMatch:
                return "its certificate is for other hosts"
            default:
                break
            }
        }
        return text(of: "\(error)")
    }

    static func text(of description: String) -> String {
        words.first { $0.names.contains { description.contains($0) } }?.text
            ?? "see whether its certificate is trusted here"
    }
}
