// SPDX-License-Identifier: MIT

import RestEssentials

/// The rule that decides whether an entry is fresh: a pure function of its inputs.
enum Freshness {
    /// Returns true if an entry is fresh at a given time.
    ///
    /// - Parameters:
    ///   - storedAt: The time at which it was made. If that is in the future, its age is unknown, so it is stale.
    ///   - expiresAt: The writer's limit: stale from that moment on. `nil` sets no limit.
    ///   - maxAge: The reader's limit, inclusive. `nil`, zero and less set no limit.
    ///   - now: The current time.
    /// - Returns: `true` if it is fresh.
    static func isFresh(storedAt: Date, expiresAt: Date?, maxAge: Duration?, now: Date) -> Bool {
        let age = now.timeIntervalSince(storedAt)
        guard age >= 0 else {
            return false
        }
        if let expiresAt, now >= expiresAt { return false }
        if let maxAge, maxAge > .zero, age > maxAge.timeInterval { return false }
        return true
    }
}
