// SPDX-License-Identifier: MIT

import HTTPTypes

struct DownloadRequest: Sendable, Hashable {
    let id: Int

    /// The first byte; `nil` for the whole file.
    let start: Int64?

    /// The position behind the last byte; `nil` for all up to the end.
    let end: Int64?

    /// The strong validator that the file must have for a part to be sent (RFC 9110, section 13.1.5).
    let validator: String?

    /// The fields that make the request one for these bytes.
    ///
    /// Content codings are declined: positions are those of coded bytes (RFC 9110, section 14.1.2), and digests are
    /// taken of them.
    var headers: HTTPFields {
        var headers: HTTPFields = [.acceptEncoding: "identity"]
        if let preference = HTTPField.Name("Want-Repr-Digest") {
            headers[preference] = DigestField.preference
        }
        if let start {
            headers[.range] = "bytes=\(start)-" + (end.map { String($0 - 1) } ?? "")
            headers.set(.ifRange, text: validator)
        }
        return headers
    }
}
