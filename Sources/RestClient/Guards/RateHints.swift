// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The statements of a response about the calls that may follow: pure.
struct RateHints: Sendable, Hashable {
    /// How long no call may begin.
    var pause: Duration?
    /// How many calls may begin until the quota is renewed, and when that happens.
    var quota: Quota?

    /// The calls that are left.
    struct Quota: Sendable, Hashable {
        let remaining: Int
        let reset: Duration
    }

    private static let rateLimit = HTTPField.Name("RateLimit")
    private static let separateNames: [(remaining: HTTPField.Name, reset: HTTPField.Name)] =
        ["RateLimit", "X-RateLimit", "X-Rate-Limit"]
        .compactMap { prefix in
            guard let remaining = HTTPField.Name(prefix + "-Remaining"), let reset = HTTPField.Name(prefix + "-Reset")
            else {
                return nil
            }
            return (remaining, reset)
        }

    /// A server that wants a longer pause is believed for this long.
    static let longestPause = Duration.seconds(24 * 3_600)

    /// Reads the header of a response.
    init(status: HTTPResponse.Status, headers: HTTPFields, now: Date) {
        if status.code == 429 || status.code == 503 {
            pause = Self.retryAfter(headers, now).map { min($0, Self.longestPause) }
        }
        quota = (Self.structured(headers) ?? Self.members(headers) ?? Self.separate(headers, now))
            .map {
                Quota(remaining: max(0, $0.remaining), reset: min(max(.zero, $0.reset), Self.longestPause))
            }
    }

    /// The beginnings of the names of fields, in lower case.
    private static let prefixes = ["rate", "x-rate"].map { Array($0.utf8) }

    /// Returns false if a response says nothing, which takes less time to see than to read it.
    static func areLikely(_ response: RawResponse) -> Bool {
        response.status.code == 429 || response.status.code == 503 || response.hasField(beginningWith: prefixes)
    }

    /// A Boolean value that is true if the response says nothing.
    var isEmpty: Bool { pause == nil && quota == nil }

    private static func retryAfter(_ headers: HTTPFields, _ now: Date) -> Duration? {
        guard let text = headers[.retryAfter] else {
            return nil
        }
        let value = FieldList.trimmed(text[...])
        return Duration(deltaSeconds: value)
            ?? HTTPDate.date(String(value), now: now).map { .seconds(max(0, $0.timeIntervalSince(now))) }
    }

    /// `RateLimit: "default";r=50;t=30`, a list of structured fields: the item with the least left counts.
    private static func structured(_ headers: HTTPFields) -> Quota? {
        guard let name = rateLimit, headers.contains(name) else {
            return nil
        }
        let items = FieldList.elements(of: headers[values: name])
            .compactMap { item -> Quota? in
                var parameters: [Substring: Int] = [:]
                for parameter in item.split(separator: ";").dropFirst() {
                    let parts = parameter.split(separator: "=", maxSplits: 1).map { FieldList.trimmed($0) }
                    if parts.count == 2, let number = integer(parts[1]) {
                        parameters[parts[0]] = number
                    }
                }
                guard let remaining = parameters["r"] else {
                    return nil
                }
                // Without a time the quota is never known to be refilled, so it cannot be waited for.
                return parameters["t"].map { Quota(remaining: remaining, reset: .seconds($0)) }
            }
        return items.min { ($0.remaining, $1.reset) < ($1.remaining, $0.reset) }
    }

    /// `RateLimit: limit=100, remaining=50, reset=30`, the form of the earlier drafts.
    private static func members(_ headers: HTTPFields) -> Quota? {
        guard let name = rateLimit, headers.contains(name) else {
            return nil
        }
        var members: [String: Int] = [:]
        for member in FieldList.elements(of: headers[values: name]) {
            let parts = member.split(separator: "=", maxSplits: 1).map { FieldList.trimmed($0) }
            if parts.count == 2, let number = integer(parts[1]) {
                members[parts[0].lowercased()] = number
            }
        }
        guard let remaining = members["remaining"], let reset = members["reset"] else {
            return nil
        }
        return Quota(remaining: remaining, reset: .seconds(reset))
    }

    /// `X-RateLimit-Remaining` with `X-RateLimit-Reset`, and the spellings that are in use.
    private static func separate(_ headers: HTTPFields, _ now: Date) -> Quota? {
        for names in separateNames {
            guard let remaining = number(headers, names.remaining), let reset = number(headers, names.reset) else {
                continue
            }
            // Some say how long it takes, others when it is: no server makes its callers wait for thirty years.
            let seconds = reset < 1_000_000_000 ? Double(reset) : Double(reset) - now.timeIntervalSince1970
            return Quota(remaining: remaining, reset: .seconds(max(0, seconds)))
        }
        return nil
    }

    private static func number(_ headers: HTTPFields, _ name: HTTPField.Name) -> Int? {
        headers.first { $0.name == name }.flatMap { integer(FieldList.trimmed($0.value[...])) }
    }

    /// A number that is not negative and has at most fifteen digits, as structured fields have.
    private static func integer(_ text: Substring) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
