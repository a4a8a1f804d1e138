// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// A time of day that stands still until a test moves it.
final class WallClock: Sendable {
    private let date: Mutex<Date>

    init(_ date: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        self.date = Mutex(date)
    }

    var now: Date { date.withLock { $0 } }

    /// Moves the time; backwards too.
    func advance(by seconds: Double) {
        date.withLock { $0 = $0.addingTimeInterval(seconds) }
    }
}
