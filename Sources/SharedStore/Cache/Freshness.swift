// SPDX-License-Identifier: MIT

import RestEssentials

/// The rule that tells fresh from stale; a pure function of its inputs.
enum Freshness {
    /// Whether an entry is fresh at a moment.
    ///
    /// - Parameters:
    ///   - storedAt: When it was made. In the future its age is unknown, so it is stale.
    ///   - expiresAt: The writer's limit: stale from that moment on. `nil` sets no limit.
    ///   - maxAge: The reader's limit, inclusive. `nil`, zero and less set no limit.
    ///   - now: The moment.
    /// - Returns: Whether it is fresh.
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
