// SPDX-License-Identifier: MIT

/// The text that separates the parts of a multipart body (RFC 2046, section 5.1.1).
struct MultipartBoundary: Sendable, Hashable {
    let text: String

    /// Throws if the text is longer than 70 characters, or has characters that RFC 2046 does not allow.
    init(_ text: String) throws(RestClientError) {
        let isValid =
            (1...70).contains(text.utf8.count) && text.utf8.allSatisfy { Self.allowed.contains($0) }
            && text.utf8.last != UInt8(ascii: " ")
        guard isValid else {
            throw RestClientError(
                .invalidMultipart,
                "the boundary of a multipart body has 1 to 70 letters, digits and '()+_,-./:=?, and no space at its end"
            )
        }
        self.text = text
    }

    /// Creates an unpredictable boundary of more than 140 random bits, provided that the generator is secure.
    init(using generator: inout some RandomNumberGenerator) {
        let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".unicodeScalars)
        var text = "----form-"
        for _ in 0..<24 {
            text.unicodeScalars.append(letters[Int.random(in: 0..<letters.count, using: &generator)])
        }
        self.text = text
    }

    /// The text in `Content-Type`: quoted unless it is a token (RFC 9110, section 5.6.2).
    var parameter: String {
        text.utf8.contains { Self.special.contains($0) } ? "\"\(text)\"" : text
    }

    private static let special = Set("(),/:=? ".utf8)
    private static let allowed = Set(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'()+_,-./:=? ".utf8
    )
}
