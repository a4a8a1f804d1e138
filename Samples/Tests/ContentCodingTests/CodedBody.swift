// SPDX-License-Identifier: MIT

import Foundation
import RestClientTesting
import Testing

/// A body that `brotli -q 11`, `zstd -19` or Python's `gzip` made, and its `Content-Encoding`.
struct CodedBody: Sendable, CustomTestStringConvertible {
    /// The value of `Content-Encoding`.
    let codings: String
    let bytes: [UInt8]

    init(_ codings: String, _ base64: String) {
        self.codings = codings
        bytes = Array(Data(base64Encoded: base64) ?? Data())
    }

    init(_ codings: String, bytes: some Sequence<UInt8>) {
        self.codings = codings
        self.bytes = Array(bytes)
    }

    var testDescription: String { "\(codings), \(bytes.count) bytes" }

    /// The response of a server with this body, at once or byte by byte.
    func response(inPieces: Bool = false) -> LoopbackResponse {
        inPieces
            ? .chunks(bytes.map { .bytes([$0]) }, headers: ["Content-Encoding": codings, "Content-Type": "text/plain"])
            : .bytes(bytes, contentType: "text/plain", headers: ["Content-Encoding": codings])
    }
}

extension CodedBody {
    /// The content of each body of `texts`.
    static let text = String(repeating: "the same words again and again. ", count: 200)

    static let brotli = CodedBody("br", "H/8YYKRAXHqQQxa5DGzAeWBl4y6RKj9CWBMCIAE=")

    static let zstd = CodedBody("zstd", "KLUv/QRoJQEA0HRoZSBzYW1lIHdvcmRzIGFnYWluIGFuZC4gAgDdOFTHFCtjRGLEMg==")

    static let texts = [
        brotli,
        zstd,
        CodedBody("BR", "H/8YYKRAXHqQQxa5DGzAeWBl4y6RKj9CWBMCIAE="),
        CodedBody("br, gzip", "H4sIAAAAAAACA5P/L5GwxCGmaoKz2E6enAOVCamP9SZq2TtFCDMpMAIA2UxU/R0AAAA="),
        CodedBody("br, zstd", "KLUv/QRo6QAAH/8YYKRAXHqQQxa5DGzAeWBl4y6RKj9CWBMCIAHCnugP"),
        CodedBody(
            "gzip, zstd",
            "KLUv/QRobQIARAQfiwgAAgPtycEJwCAQALBVboLudKC0PqpQha7vo1MU8gtkXTVm3jXe8ZQZeWbrkb18OmJ577333nv/7Dec"
                + "/gs/ABkAAAIAhVIwAESjaXKr"
        ),
        CodedBody(
            "br, zstd, gzip",
            "H4sIAAAAAAACA9PYqv+XJeMlA4P8f4mEJQ4xVROcxXby5ByoTEh9rDdRy94pQphJgfHQvBf8ACa0AkkqAAAA"
        ),
        // Two frames, and one between them that is skipped.
        CodedBody(
            "zstd",
            "KLUv/QRoJQEA0HRoZSBzYW1lIHdvcmRzIGFnYWluIGFuZC4gAgBdHMpjipUxG09qf1MqTRgFAAAAc2tpcCEotS/9BGglAQDQ"
                + "dGhlIHNhbWUgd29yZHMgYWdhaW4gYW5kLiACAF0cymOKlTEbT2p/"
        ),
    ]

    /// 4 MiB of zeros.
    static let zeros = [
        CodedBody("br", "n///P/gnAOKxQCD3/gc="),
        CodedBody(
            "zstd",
            "KLUv/QRoTAAACAABAPz/ORACAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIA"
                + "EAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAwAQACid"
                + "vHw="
        ),
    ]
}
