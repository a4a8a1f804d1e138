// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The statements of a response about the calls that may follow: pure.
struct RateHints: Sendable, Hashable {
    /// The time in which no call may begin.
    var pause: Duration?
    var quota: Quota?

    struct Quota: Sendable, Hashable {
        let remaining: Int
        let reset: Duration
        /// The quota that follows, if the server has said how it renews quotas.
        var renewal: Renewal?
        /// The time between two calls when none is left, if the server has not said when it renews the quota.
        var pace: Duration?

        /// The time that the next call waits when none is left.
        fileprivate var wait: Duration { pace ?? reset }
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
        let found = Self.structured(headers, policies, now) ?? Self.members(headers, policies, now)
        quota = (found ?? Self.separate(headers, policies, now))
            .map {
                Quota(
                    remaining: max(0, $0.remaining),
                    reset: min(max(.zero, $0.reset), Self.longestPause),
                    renewal: $0.renewal,
                    pace: $0.pace
                )
            }
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
                } else if let number = RateHints.integer(parts[1]) {
                    numbers[parts[0]] = number
                }
            }
        }
    }

    /// A statement about a limit, regardless of what is left of it.
    private struct Policy {
        let window: Duration?
        let renewal: Renewal?
        let hasOtherUnit: Bool
    }

    /// `RateLimit-Policy: "default";q=100;w=60`, a list of structured fields, by their names; in earlier drafts, the
    /// number stands in the place of the name.
    private static func policies(_ headers: HTTPFields) -> [String: Policy] {
        guard let name = ratePolicy, headers.contains(name) else {
            return [:]
        }
        var policies: [String: Policy] = [:]
        for item in FieldList.elements(of: headers[values: name]).compactMap(Item.init) {
            let window: Duration? = item.numbers["w"].flatMap { $0 > 0 ? min(.seconds($0), longestPause) : nil }
            let count: Int? = (item.numbers["q"] ?? integer(item.name[...])).flatMap { $0 > 0 ? $0 : nil }
            let renewal = count.flatMap { count in window.map { Renewal(count: count, window: $0) } }
            policies[item.name] = Policy(window: window, renewal: renewal, hasOtherUnit: item.hasOtherUnit)
        }
        return policies
    }

    /// `RateLimit: "default";r=50;t=30`, a list of structured fields: the item with the least left counts.
    private static func structured(_ headers: HTTPFields, _ policies: [String: Policy], _ now: Date) -> Quota? {
        guard let name = rateLimit, headers.contains(name) else {
            return nil
        }
        let items = FieldList.elements(of: headers[values: name]).compactMap(Item.init)
            .compactMap { item -> Quota? in
                let policy = policies[item.name]
                // Bytes and concurrent requests do not count calls.
                guard let remaining = item.numbers["r"], policy?.hasOtherUnit != true else {
                    return nil
                }
                if let reset = item.numbers["t"].flatMap({ wait(StatedTime.seconds(Double($0), now: now)) }) {
                    return Quota(remaining: remaining, reset: reset, renewal: policy?.renewal)
                }
                // The whole window passes at most, and a server that renews its quota bit by bit needs less. Without
                // any time the quota is never known to be refilled, so it cannot be waited for.
                return policy?.window
                    .map { window in
                        Quota(
                            remaining: remaining,
                            reset: window,
                            renewal: policy?.renewal,
                            pace: policy?.renewal?.pace
                        )
                    }
            }
        return items.min { ($0.remaining, $1.wait) < ($1.remaining, $0.wait) }
    }

    /// `RateLimit: limit=100, remaining=50, reset=30`, the form of the earlier drafts.
    private static func members(_ headers: HTTPFields, _ policies: [String: Policy], _ now: Date) -> Quota? {
        guard let name = rateLimit, headers.contains(name) else {
            return nil
        }
        var members: [String: Substring] = [:]
        for member in FieldList.elements(of: headers[values: name]) {
            let parts = member.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1)
                .map { FieldList.trimmed(Substring($0)) }
            if parts.count == 2 {
                members[FieldList.token(parts[0])] = parts[1]
            }
        }
        guard let remaining = members["remaining"].flatMap(integer),
            let reset = members["reset"].flatMap({ StatedTime.seconds($0, now: now) }).flatMap(wait)
        else {
            return nil
        }
        let policy = members["limit"].flatMap(integer).flatMap { policies[String($0)] }
        return Quota(remaining: remaining, reset: reset, renewal: policy?.renewal)
    }

    /// `X-RateLimit-Remaining` with `X-RateLimit-Reset`, and the spellings that are in use.
    private static func separate(_ headers: HTTPFields, _ policies: [String: Policy], _ now: Date) -> Quota? {
        for names in separateNames {
            let values = names.map { name in
                headers.first { $0.name == name }.map { FieldList.trimmed($0.value[...]) }
            }
            guard let remaining = values[1].flatMap(integer),
                // Some say how long it takes, others when it is.
                let reset = values[2...].lazy.compactMap({ $0 })
                    .compactMap({ StatedTime.seconds($0, now: now) }).compactMap(wait).first
            else {
                continue
            }
            let policy = values[0].flatMap(integer).flatMap { policies[String($0)] }
            return Quota(remaining: remaining, reset: reset, renewal: policy?.renewal)
        }
        return nil
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
