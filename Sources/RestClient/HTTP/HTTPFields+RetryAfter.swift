// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

extension HTTPFields {
    /// Returns the wait that a server requests with `Retry-After`, as a number of seconds or as a date (RFC 9110,
    /// section 10.2.3); `nil` if it requests none.
    func retryDelay(at now: Date) -> Duration? {
        guard let text = self[.retryAfter] else {
            return nil
        }
        let value = FieldList.trimmed(text[...])
        return Duration(deltaSeconds: value)
            ?? HTTPDate.date(String(value), now: now).map { .seconds(Swift.max(0, $0.timeIntervalSince(now))) }
    }
}
