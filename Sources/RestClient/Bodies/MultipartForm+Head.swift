// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension MultipartForm.Part {
    func head() throws(RestClientError) -> Data {
        guard !name.isEmpty else {
            throw RestClientError(.invalidMultipart, "a part of the form has no name")
        }
        guard !name.utf8.contains(0), !(fileName ?? "").utf8.contains(0) else {
            throw RestClientError(.invalidMultipart, "the name of a part of the form contains NUL")
        }
        var text = "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let fileName {
            text += "; filename=\"\(Self.escaped(fileName))\""
        }
        text += "\r\n"
        if let contentType {
            guard !Self.breaksLine(contentType), !contentType.isEmpty else {
                throw RestClientError(
                    .invalidMultipart,
                    "the content type of the part '\(Self.escaped(name))' is empty or contains a line break or NUL"
                )
            }
            text += "Content-Type: \(contentType)\r\n"
        }
        for header in headers {
            try check(header)
            text += "\(header.name): \(header.value)\r\n"
        }
        text += "\r\n"
        return Data(text.utf8)
    }

    /// The fields that the form writes itself, or that have no meaning in one (RFC 7578, sections 4.7 and 4.8).
    private static let reserved: Set<String> = [
        "content-disposition", "content-type", "content-transfer-encoding", "content-length",
    ]

    private func check(_ header: Header) throws(RestClientError) {
        guard let known = HTTPField.Name(header.name) else {
            throw RestClientError(
                .invalidHeader,
                "a header field of the part '\(Self.escaped(name))' has a name that is not a valid one"
            )
        }
        guard !Self.reserved.contains(known.canonicalName) else {
            throw RestClientError(
                .invalidMultipart,
                "the part '\(Self.escaped(name))' cannot set '\(header.name)' as a header field; "
                    + "give a content type or a file name instead"
            )
        }
        guard !Self.breaksLine(header.value) else {
            throw RestClientError(
                .invalidHeader,
                "the value of the header field '\(header.name)' contains a line break or NUL; remove it or encode it"
            )
        }
    }

    private static func breaksLine(_ text: String) -> Bool {
        text.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0x00 }
    }

    /// Returns a name as the HTML standard writes it in quotes (section "Multipart form data"): UTF-8, with only quotes
    /// and line breaks percent-encoded.
    ///
    /// `filename*` is not allowed there (RFC 7578, section 4.2).
    static func escaped(_ name: String) -> String {
        replacing(escapes, in: name)
    }

    static func unescaped(_ name: String) -> String {
        replacing(escapes.map { ($1, $0) }, in: name)
    }

    private static let escapes = [("\"", "%22"), ("\r", "%0D"), ("\n", "%0A")]

    /// Replaces by bytes, because CR LF is one character, and a combining character makes one with what precedes it.
    private static func replacing(_ pairs: [(String, String)], in text: String) -> String {
        let bytes = pairs.reduce(Array(text.utf8)) { $0.replacing($1.0.utf8, with: $1.1.utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
