// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension HTTPFields {
    /// Returns the wait that a server requests with `Retry-After`, as a number of seconds or as a date (RFC 9110,
    /// section 10.2.3); `nil` if it requests none.
    ///
    /// Some servers send a fraction, which is rounded up, or a moment since 1970. An excessive number means a century.
    func retryDelay(at now: Date) -> Duration? {
        guard let text = self[.retryAfter] else {
            return nil
        }
        let value = FieldList.trimmed(text[...])
        guard let number = StatedTime.number(value) else {
            return HTTPDate.date(String(value), now: now).map { .seconds(Swift.max(0, $0.timeIntervalSince(now))) }
        }
        let seconds = StatedTime.seconds(number, now: now)
        // Only a moment near now is a moment.
        let wait = abs(seconds) <= StatedTime.horizon ? Swift.max(0, seconds) : number
        return .seconds(Swift.min(wait.rounded(.up), Duration.longestDelta / .seconds(1)))
    }
}
