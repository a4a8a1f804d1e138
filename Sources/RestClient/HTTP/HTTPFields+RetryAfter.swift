// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension HTTPFields {
    private static let millisecondNames = ["retry-after-ms", "x-ms-retry-after-ms"].map { HTTPField.Name($0) }

    /// Returns the wait that a server requests with `Retry-After`, as a number of seconds or as a date (RFC 9110,
    /// section 10.2.3), or with `retry-after-ms` or `x-ms-retry-after-ms` in milliseconds, which are more exact; `nil`
    /// if it requests none.
    ///
    /// Some servers send a fraction, which is rounded up, a moment since 1970, or a date of ISO 8601. An excessive
    /// number means a century.
    func retryDelay(at now: Date) -> Duration? {
        for name in Self.millisecondNames {
            if let text = name.flatMap({ self[$0] }), let number = StatedTime.number(FieldList.trimmed(text[...])) {
                return Self.wait(number / 1_000)
            }
        }
        guard let text = self[.retryAfter] else {
            return nil
        }
        let value = FieldList.trimmed(text[...])
        guard let number = StatedTime.number(value) else {
            let date = HTTPDate.date(String(value), now: now) ?? StatedTime.isoDate(String(value))
            return date.map { Self.wait($0.timeIntervalSince(now)) }
        }
        let seconds = StatedTime.seconds(number, now: now)
        // Only a moment near now is a moment.
        let wait = abs(seconds) <= StatedTime.horizon ? Swift.max(0, seconds) : number
        return Self.wait(wait.rounded(.up))
    }

    /// Returns a wait of the given seconds; none for a negative number, and a century for an excessive one.
    private static func wait(_ seconds: TimeInterval) -> Duration {
        .seconds(Swift.max(0, Swift.min(seconds, Duration.longestDelta / .seconds(1))))
    }
}
