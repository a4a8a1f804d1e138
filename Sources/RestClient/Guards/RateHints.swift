// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The statements of a response about the calls that may follow; does no I/O.
struct RateHints: Sendable, Hashable {
    /// The time in which no call may begin.
    var pause: Duration?
    var quota: Quota?

    struct Quota: Sendable, Hashable {
        private(set) var remaining: Int
        private(set) var reset: Duration
        var renewal: Renewal?
        /// The time between two calls when none is left, if the server has not said when it renews the quota.
        var pace: Duration?

        /// The time that the next call waits when none is left.
        fileprivate var wait: Duration { pace ?? reset }

        fileprivate mutating func limit(to longest: Duration) {
            remaining = max(0, remaining)
            reset = min(max(.zero, reset), longest)
        }

        mutating func count(_ calls: Int) { remaining = max(0, remaining - calls) }
    }

    /// The calls that a server allows in each of its windows.
    struct Renewal: Sendable, Hashable {
        let count: Int
        let window: Duration

        var pace: Duration { window / count }
    }

    private static let rateLimit = HTTPField.Name("RateLimit")
    private static let ratePolicy = HTTPField.Name("RateLimit-Policy")
    private static let separateNames = ["RateLimit", "X-RateLimit", "X-Rate-Limit"]
        .map { prefix in ["-Limit", "-Remaining", "-Reset-After", "-Reset"].map { HTTPField.Name(prefix + $0) } }

    /// A server that wants a longer pause is believed for this long.
    static let longestPause = Duration.seconds(24 * 3_600)

    init(status: HTTPResponse.Status, headers: HTTPFields, now: Date) {
        if status.code == 429 || status.code == 503 {
            pause = headers.retryDelay(at: now)
                .flatMap { $0 <= .seconds(StatedTime.horizon) ? min($0, Self.longestPause) : nil }
        }
        let policies = Self.policies(headers)
        var quota =
            Self.structured(headers, policies, now)
            ?? Self.statements(headers).lazy.compactMap { Self.quota($0, policies, now) }.first
        quota?.limit(to: Self.longestPause)
        self.quota = quota
    }

    /// The beginnings of the names of fields, in lower case.
    private static let prefixes = ["rate", "x-rate"].map { Array($0.utf8) }

    /// Returns false if a response says nothing, which takes less time to see than to read it.
    static func areLikely(_ response: RawResponse) -> Bool {
        response.status.code == 429 || response.status.code == 503 || response.hasField(beginningWith: prefixes)
    }

    var isEmpty: Bool { pause == nil && quota == nil }

    /// An item of a structured field: its name, and the parameters that matter.
    private struct Item {
        var name: String
        var numbers: [Substring: Int] = [:]
        /// True if the item counts something else than requests.
        var hasOtherUnit = false

        /// The window of a policy.
        var window: Duration? { numbers["w"].flatMap { $0 > 0 ? min(.seconds($0), longestPause) : nil } }

        /// The calls that a policy allows, regardless of what is left of them.
        var renewal: Renewal? {
            guard let window, let count = numbers["q"] ?? integer(name[...]), count > 0 else {
                return nil
            }
            return Renewal(count: count, window: window)
        }

        /// Reads an item; returns `nil` if its name never ends.
        init?(_ text: Substring) {
            // A text of structured fields is ASCII (RFC 9651, section 3.3.3).
            guard FieldList.isASCII(text) else {
                return nil
            }
            let bytes = text.utf8
            var end = bytes.startIndex
            if bytes.first == UInt8(ascii: "\"") {
                var isEscaped = true
                while end < bytes.endIndex, isEscaped || bytes[end] != UInt8(ascii: "\"") {
                    isEscaped = !isEscaped && bytes[end] == UInt8(ascii: "\\")
                    end = bytes.index(after: end)
                }
                guard end < bytes.endIndex else {
                    return nil
                }
                end = bytes.index(after: end)
            } else {
                end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
            }
            name = FieldList.unquoted(FieldList.trimmed(text[..<end]))
            for parameter in text[end...].split(separator: ";") {
                let parts = parameter.split(separator: "=", maxSplits: 1).map { FieldList.trimmed($0) }
                guard parts.count == 2 else {
                    continue
                }
                if parts[0] == "qu" {
                    hasOtherUnit = FieldList.unquoted(parts[1]) != "requests"
                } else if let number = integer(parts[1]) {
                    numbers[parts[0]] = number
                }
            }
        }
    }

    /// `RateLimit-Policy: "default";q=100;w=60`, a list of structured fields, by their names; in earlier drafts, the
    /// number stands in the place of the name.
    private static func policies(_ headers: HTTPFields) -> [String: Item] {
        Dictionary(elements(of: ratePolicy, in: headers).compactMap(Item.init).map { ($0.name, $0) }) { $1 }
    }

    /// `RateLimit: "default";r=50;t=30`, a list of structured fields: the item with the least left counts.
    private static func structured(_ headers: HTTPFields, _ policies: [String: Item], _ now: Date) -> Quota? {
        let items = elements(of: rateLimit, in: headers).compactMap(Item.init)
            .compactMap { item -> Quota? in
                let policy = policies[item.name]
                // Bytes and concurrent requests do not count calls.
                guard let remaining = item.numbers["r"], policy?.hasOtherUnit != true else {
                    return nil
                }
                let stated = item.numbers["t"].flatMap { wait(StatedTime.seconds(Double($0), now: now)) }
                // The whole window passes at most, and a server that renews its quota bit by bit needs less. Without
                // any time the quota is never known to be refilled, so it cannot be waited for.
                guard let reset = stated ?? policy?.window else {
                    return nil
                }
                let pace = stated == nil ? policy?.renewal?.pace : nil
                return Quota(remaining: remaining, reset: reset, renewal: policy?.renewal, pace: pace)
            }
        return items.min { ($0.remaining, $1.wait) < ($1.remaining, $0.wait) }
    }

    /// The limit, the rest and the times of renewal in each dialect without structured fields:
    /// `RateLimit: limit=100, remaining=50, reset=30` of earlier drafts, and `X-RateLimit-Remaining` in its spellings.
    private static func statements(_ headers: HTTPFields) -> [[Substring?]] {
        var members: [String: Substring] = [:]
        for member in elements(of: rateLimit, in: headers) {
            let parts = member.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1)
                .map { FieldList.trimmed(Substring($0)) }
            if parts.count == 2 {
                members[FieldList.token(parts[0])] = parts[1]
            }
        }
        let separate = separateNames.map { names in
            names.map { name in headers.first { $0.name == name }.map { FieldList.trimmed($0.value[...]) } }
        }
        return [[members["limit"], members["remaining"], members["reset"]]] + separate
    }

    private static func quota(_ texts: [Substring?], _ policies: [String: Item], _ now: Date) -> Quota? {
        guard let remaining = texts[1].flatMap(integer),
            // Some say how long it takes, others when it is.
            let reset = texts[2...].lazy.compactMap({ $0 })
                .compactMap({ StatedTime.seconds($0, now: now) }).compactMap(wait).first
        else {
            return nil
        }
        let policy = texts[0].flatMap(integer).flatMap { policies[String($0)] }
        return Quota(remaining: remaining, reset: reset, renewal: policy?.renewal)
    }

    private static func elements(of name: HTTPField.Name?, in headers: HTTPFields) -> [Substring] {
        name.map { FieldList.elements(of: headers[values: $0]) } ?? []
    }

    /// Returns the wait for a time; none if it is in the past, and `nil` if it is too far ahead to be one.
    private static func wait(_ seconds: TimeInterval) -> Duration? {
        seconds <= StatedTime.horizon ? .seconds(max(0, seconds)) : nil
    }

    /// A number that is not negative and has at most fifteen digits, as structured fields have.
    private static func integer(_ text: Substring) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
