// SPDX-License-Identifier: MIT

import HTTPTypes

extension DownloadStateMachine {
    /// Returns false if the head of a 200 says that its content is a part of the file.
    static func isWhole(_ headers: HTTPFields, of length: Int64?, isPart: Bool) -> Bool {
        if isPart, hasSeveralParts(headers) {
            return false
        }
        guard let text = headers[.contentRange] else {
            return true
        }
        guard case .bytes(let range, let total)? = ContentRange(text) else {
            return false
        }
        return range == 0..<(total ?? 0) && length ?? range.length == range.length
    }

    /// True if the content is made of several parts, with heads between them (RFC 9110, section 14.6).
    static func hasSeveralParts(_ headers: HTTPFields) -> Bool {
        MediaType.essence(of: headers[.contentType]) == "multipart/byteranges"
    }

    static func digest(_ field: String, _ headers: HTTPFields) -> DigestField? {
        HTTPField.Name(field).flatMap { DigestField.strongest(in: headers[values: $0]) }
    }

    static func isCoded(_ headers: HTTPFields) -> Bool {
        FieldList.elements(of: headers[values: .contentEncoding]).contains { FieldList.token($0) != "identity" }
    }
}
