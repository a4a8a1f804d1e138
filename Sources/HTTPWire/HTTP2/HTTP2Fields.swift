// SPDX-License-Identifier: MIT

import NIOCore
import NIOHPACK

/// The fields of a response of HTTP/2, checked as strictly as those of HTTP/1.1 (RFC 9113, section 8.2).
///
/// `NIOHPACK` gives them as text, in which bytes that are not UTF-8 have become replacement characters.
package struct HTTP2Fields {
    /// The head; `nil` for trailers.
    package let head: HeadBytes?
    let contentLength: Int?
    let hasContentCoding: Bool

    /// Reads fields.
    ///
    /// - Parameters:
    ///   - fields: What was decompressed.
    ///   - isTrailer: True for the fields behind a body.
    ///   - limits: The limits of a head.
    /// - Throws: The rule that they break.
    init(_ fields: HPACKHeaders, isTrailer: Bool, _ limits: ResponseParser.Limits) throws(ResponseDefect) {
        var status: Int?
        var lines: [UInt8] = []
        var count = 0
        for (name, value, _) in fields {
            if name.utf8.first == UInt8(ascii: ":") {
                guard !isTrailer, count == 0, status == nil, name.utf8.elementsEqual(":status".utf8) else {
                    throw .pseudoField
                }
                status = try Self.status(value)
                continue
            }
            guard name.utf8.allSatisfy({ $0.isToken && !$0.isUppercase }) else {
                throw .fieldName
            }
            guard !HTTP2StateMachine.isConnectionField(name) else {
                throw .connectionField
            }
            guard !Self.isBlank(value.utf8.first), !Self.isBlank(value.utf8.last) else {
                throw .fieldValue
            }
            count += 1
            lines.append(contentsOf: name.utf8)
            lines.append(UInt8(ascii: ":"))
            lines.append(contentsOf: value.utf8)
            lines.append(.carriageReturn)
            lines.append(.lineFeed)
            guard lines.count <= limits.headBytes else {
                throw .headTooLarge
            }
        }
        lines.append(.carriageReturn)
        lines.append(.lineFeed)
        var reader = HeadReader(hasStatusLine: false)
        // A value with the end of a line in it would be read as another field.
        guard try reader.read(lines.span, fieldLimit: limits.fieldCount) == lines.count, reader.fieldCount == count
        else {
            throw .fieldValue
        }
        contentLength = reader.contentLength
        hasContentCoding = reader.hasContentCoding
        if isTrailer {
            guard reader.contentLength == nil else {
                throw .trailers
            }
            head = nil
        } else if let status {
            head = HeadBytes(fields: lines, count: count, status: status)
        } else {
            throw .pseudoField
        }
    }

    private static func status(_ text: String) throws(ResponseDefect) -> Int {
        guard text.utf8.count == 3, text.utf8.allSatisfy(\.isDigit), let status = Int(text) else {
            throw .pseudoField
        }
        guard status >= 100 else {
            throw .status
        }
        guard status != 101 else {
            // It means nothing in HTTP/2 (section 8.6).
            throw .unexpectedUpgrade
        }
        return status
    }

    private static func isBlank(_ byte: UInt8?) -> Bool {
        byte == .space || byte == .tab
    }
}
