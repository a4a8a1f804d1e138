// SPDX-License-Identifier: MIT

import NIOSSL
import RestEssentials
import TestSupport
import Testing

/// A certificate for `localhost`, made with openssl, that BoringSSL lets pass and the library does not.
struct WeakIdentity: Sendable, CustomTestStringConvertible {
    /// A word of the reason for which it is refused.
    let reason: String
    /// The certificate in DER and Base64.
    let certificate: String
    /// The key of the certificate in DER and Base64.
    let privateKey: String

    var testDescription: String { reason }

    /// The identity, for a server.
    var identity: ServerIdentity {
        get throws {
            let bytes = Array(try #require(Data(base64Encoded: certificate)))
            return ServerIdentity(
                certificate: try NIOSSLCertificate(bytes: bytes, format: .der),
                privateKey: try NIOSSLPrivateKey(
                    bytes: Array(try #require(Data(base64Encoded: privateKey))),
                    format: .der
                ),
                certificatePEM: "-----BEGIN CERTIFICATE-----\n\(Data(bytes).base64EncodedString())\n"
                    + "-----END CERTIFICATE-----\n"
            )
        }
    }
}

extension WeakIdentity {
    /// Signed with SHA-1.
    static let brokenHash = WeakIdentity(
        reason: "SHA-1",
        certificate: """
            MIIBkzCCATqgAwIBAgIULnGNbF2jY9L9P0fWBscFY75GC4UwCQYHKoZIzj0EATAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcNMjYx\
            MTIzMDkzNjM0WhgPMjEyNjEwMzAwOTM2MzRaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA\
            BAEnavr4UV2q6C6oSLJPix0KOaKttbUSs7X8CpmkMYe+X2zHoWu3CKOH6UTV3e0R0WZuDMTPwDOGx4XgEp8hBa6jaTBnMB0GA1Ud\
            DgQWBBSCYvhvja3sIb5TSNqCYHSr4R9XHTAfBgNVHSMEGDAWgBSCYvhvja3sIb5TSNqCYHSr4R9XHTAPBgNVHRMBAf8EBTADAQH/\
            MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAJBgcqhkjOPQQBA0gAMEUCIFv9jKYaFGIH2toatzmzCOZ7s/g/wNolZ5QMcS3/vL14AiEA\
            mo/TwiWIyc7N0rQ8jHb3xBJni9Fp9ex2lblqgC6ho0Q=
            """,
        privateKey: """
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxLjD8SH1JG8ZkO7O2XrYZySid6CTFL0HaYhxG+YxTpGhRANCAAQB\
            J2r6+FFdquguqEiyT4sdCjmirbW1ErO1/AqZpDGHvl9sx6Frtwijh+lE1d3tEdFmbgzEz8AzhseF4BKfIQWu
            """
    )

    /// With an RSA key of 1024 bits.
    static let shortKey = WeakIdentity(
        reason: "1024 bits",
        certificate: """
            MIICHDCCAYWgAwIBAgIUONsP1luZFlWSDMx1qE/QH7cS3MkwDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAX\
            DTI2MTEyMzA5MzYzNVoYDzIxMjYxMDMwMDkzNjM1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwgZ8wDQYJKoZIhvcNAQEBBQADgY0A\
            MIGJAoGBAKc5bPQrukO/g4kMn8ccasys1ZbrvJvpVO+m6dpbs2FT6m0WIozP5TaU+dgMJh/68gs6NGghCALwWBPI6P96xeKGse/k\
            ST4rDgmAP9JqlePOpRTeW0HvWPvgGxk9hpJSElAukAuAAYO49vvwbKIy0fElpMHU2xIaab5u94kknxCdAgMBAAGjaTBnMB0GA1Ud\
            DgQWBBT8fkDOQ294rl4E+nqnScX2h62mNTAfBgNVHSMEGDAWgBT8fkDOQ294rl4E+nqnScX2h62mNTAPBgNVHRMBAf8EBTADAQH/\
            MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDANBgkqhkiG9w0BAQsFAAOBgQCmyH0V8RUvObIQulrXOuDJTtUKCe6VndP5jL3hQjrizwZP\
            SfN16s5ryv5nzGwMxBs/O+RiRnTiPC4+DEj4/77n4pECxQP3jofExIJ/bjt+jhIt1K8n/G7o5Vh1CfirD8wmIhqcVuAgHbI6oiyr\
            DKTGa8m4itf8+46oUS7CaHBoCA==
            """,
        privateKey: """
            MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAKc5bPQrukO/g4kMn8ccasys1ZbrvJvpVO+m6dpbs2FT6m0WIozP\
            5TaU+dgMJh/68gs6NGghCALwWBPI6P96xeKGse/kST4rDgmAP9JqlePOpRTeW0HvWPvgGxk9hpJSElAukAuAAYO49vvwbKIy0fEl\
            pMHU2xIaab5u94kknxCdAgMBAAECgYB3EBYZS8EVV5iJzek9VWhdTnnNOQ9TWzDUaV170WrI03zIKshyxdsHn868GvpSLtSDVe/W\
            bB5OKV4syBHNRVb6qcvsXL9Laj4oOzFkdgNG6/ohZAGVagbSgIZIzvMQsDQP/0F92+WwCz50NkDxPxgcbWUObhFAVmQdkv9ckPku\
            aQJBANhM7k9dn3WTNlv9WV56H+rbR/kDs+Sl+tZR1GjbymFJ6nPRhb/2TmJ+FtrarUzY27lfiqCmRTYFHx0Z+0sHMWMCQQDF6ptW\
            BxrxP93l9bBij/smyq6AUAfnoTb19yusyF1sXLveFuwHR6gEe5jar2us/Damg++A1xIheYDU/jMjZVX/AkBsK/UWPeUMQMXztTzn\
            cb3ajzVsRDzIAXXzjtLiaeDJTNTyfPsdqElFGnfFlY0LnHwuNai3dM+yF1ebDy5MNFmvAkBzVvr50qA38iFuL5WAiyoxfDLf4kQJ\
            ECHIjCguxIH1ccGmdzNMNs1K94CoCU01/bIXrpH4Qt51Fasn9ZB100ufAkEAtVmXrjUJBepmd55NM9zs7od0hdn/bMso4EEKxWjv\
            /GXqo5hxuLZM49/IMbcgV805uWSVQenRhnAHqjBWT9Bhmg==
            """
    )

    /// Without a subject alternative name.
    static let commonNameOnly = WeakIdentity(
        reason: "subject alternative name",
        certificate: """
            MIIBfjCCASWgAwIBAgIUKDf5rZDf/H2CO7Vb+fK2UUoCfzIwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2\
            MTEyMzA5MzYzNloYDzIxMjYxMDMwMDkzNjM2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC\
            AASSLnRy5iELj7i5e9OXidHhgr9Fwk8m4BJSyuB5nsuZ7q0nCLkEGGkHkjiKP1PDDSXxidWMOsQ/o0IC9tShfKEOo1MwUTAdBgNV\
            HQ4EFgQUOg5R9GAgZMw3BuyN4TddqueADv0wHwYDVR0jBBgwFoAUOg5R9GAgZMw3BuyN4TddqueADv0wDwYDVR0TAQH/BAUwAwEB\
            /zAKBggqhkjOPQQDAgNHADBEAiAaspjK2FZuR8VeeL5MI1TpDN9pm85uAMctPDAfpXFWkgIgSBcgYFceRDtdpoePXWCyu9FzZUWL\
            2/pJwqKjKSU5ot0=
            """,
        privateKey: """
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgiOQZ5vjh+ChENhsmCPhjK2eAzRdqL36QQDgLwDHAdX+hRANCAASS\
            LnRy5iELj7i5e9OXidHhgr9Fwk8m4BJSyuB5nsuZ7q0nCLkEGGkHkjiKP1PDDSXxidWMOsQ/o0IC9tShfKEO
            """
    )
}
