// SPDX-License-Identifier: MIT

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The head of a stored answer, as it lies beside the body: status, URL and header fields.
///
/// The form is a version byte, the status in two bytes, and texts preceded by their length in four bytes, all little
/// endian. It is read without trust: whatever does not fit makes the entry unreadable, never a trap.
struct StoredResponse: Sendable, Equatable {
    private static let version: UInt8 = 1

    var status: HTTPResponse.Status
    var url: String?
    var headers: HTTPFields

    init(status: HTTPResponse.Status, url: String?, headers: HTTPFields) {
        self.status = status
        self.url = url
        self.headers = headers
    }

    /// Reads a stored head; `nil` when the bytes are none.
    init?(decoding bytes: Data) {
        var reader = Reader(bytes: bytes[...])
        guard reader.byte() == Self.version, let low = reader.byte(), let high = reader.byte(),
            let url = reader.text()
        else {
            return nil
        }
        let code = Int(low) | Int(high) << 8
        guard (100..<1_000).contains(code) else {
            return nil
        }
        var headers: HTTPFields = [:]
        while !reader.bytes.isEmpty {
            guard let name = reader.text().flatMap({ HTTPField.Name($0) }), let value = reader.text() else {
                return nil
            }
            headers.append(HTTPField(name: name, value: value))
        }
        self.init(status: HTTPResponse.Status(code: code), url: url.isEmpty ? nil : url, headers: headers)
    }

    /// The bytes to store.
    func encoded() -> Data {
        var bytes = Data([
            Self.version, UInt8(truncatingIfNeeded: status.code), UInt8(truncatingIfNeeded: status.code >> 8),
        ])
        Self.append(url ?? "", to: &bytes)
        // A session that the server opened for one answer must not come back with another.
        for field in headers where field.name != .setCookie {
            Self.append(field.name.rawName, to: &bytes)
            Self.append(field.value, to: &bytes)
        }
        return bytes
    }

    private static func append(_ text: String, to bytes: inout Data) {
        let length = UInt32(clamping: text.utf8.count)
        bytes.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) })
        bytes.append(contentsOf: text.utf8)
    }

    private struct Reader {
        var bytes: Data.SubSequence

        mutating func byte() -> UInt8? {
            bytes.popFirst()
        }

        mutating func text() -> String? {
            var length = 0
            for shift in 0..<4 {
                guard let byte = byte() else {
                    return nil
                }
                length |= Int(byte) << (shift * 8)
            }
            guard length <= bytes.count else {
                return nil
            }
            let text = bytes.prefix(length)
            bytes = bytes.dropFirst(length)
            return String(validating: text, as: UTF8.self)
        }
    }
}
