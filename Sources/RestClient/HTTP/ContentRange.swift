// SPDX-License-Identifier: MIT

/// The part of a representation that a response holds, as `Content-Range` says it (RFC 9110, section 14.4).
enum ContentRange: Sendable, Hashable {
    case bytes(Range<Int64>, of: Int64?)
    case unsatisfied(of: Int64)

    /// Reads a value; `nil` for another unit than bytes, and for what is malformed or contradicts itself.
    init?(_ value: String) {
        let words = FieldList.token(FieldList.trimmed(value[...])).split(separator: " ")
        guard words.count == 2, words[0] == "bytes" else {
            return nil
        }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            return nil
        }
        let whole = Self.number(parts[1])
        if parts[0] == "*", let whole {
            self = .unsatisfied(of: whole)
            return
        }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]), first <= last,
            whole.map({ last < $0 }) ?? (parts[1] == "*")
        else {
            return nil
        }
        self = .bytes(first..<last + 1, of: whole)
    }

    /// Returns a number in ASCII digits, with which calculations do not overflow.
    private static func number(_ text: Substring) -> Int64? {
        FieldList.isNumber(text) ? Int64(text).flatMap { $0 < Int64.max / 2 ? $0 : nil } : nil
    }
}
