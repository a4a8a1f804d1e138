// SPDX-License-Identifier: MIT

import HTTPTypes

/// A part of a representation that is requested with `Range` (RFC 9110, section 14.1.2).
enum ByteRange: Sendable, Equatable {
    case from(Int, through: Int?)
    case suffix(Int)

    enum Demand: Sendable, Equatable {
        case none
        case one(ByteRange)
        /// Several ranges, another unit, or an unknown form, which are left to the server.
        case other
    }

    /// Parses the `Range` of a request; it has a meaning only for GET.
    static func demand(_ method: HTTPRequest.Method, _ headers: HTTPFields) -> Demand {
        let lines = headers[values: .range]
        guard method == .get, let line = lines.first else {
            return .none
        }
        let text = FieldList.token(line).filter { $0 != " " && $0 != "\t" }
        guard lines.count == 1, text.hasPrefix("bytes="),
            let range = ByteRange(text.dropFirst("bytes=".count))
        else {
            return .other
        }
        return .one(range)
    }

    private init?(_ text: Substring) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            return nil
        }
        let first = Self.position(parts[0])
        let last = Self.position(parts[1])
        switch (parts[0].isEmpty, parts[1].isEmpty, first, last) {
        case (true, false, _, let last?) where last > 0: self = .suffix(last)
        case (false, true, let first?, _): self = .from(first, through: nil)
        case (false, false, let first?, let last?) where first <= last: self = .from(first, through: last)
        default: return nil
        }
    }

    /// Returns the positions within a representation; `nil` if there are none, or if the length is needed but unknown.
    func positions(of length: Int?) -> Range<Int>? {
        switch (self, length) {
        case (.from(let first, let last), let length?) where first < length:
            first..<min(last.map { $0 + 1 } ?? length, length)
        case (.from(let first, let last?), nil):
            first..<last + 1
        case (.suffix(let count), let length?) where length > 0:
            max(0, length - count)..<length
        default:
            nil
        }
    }

    static func position(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            number < Int.max
        else {
            return nil
        }
        return number
    }
}
