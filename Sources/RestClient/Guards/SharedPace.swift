// SPDX-License-Identifier: MIT

import RestEssentials

/// The pace of the calls of all processes to a server: pure.
///
/// It is the generic cell rate algorithm, which keeps one instant instead of a number of tokens. Instants are seconds
/// of the time of day, which all processes of a machine share.
struct SharedPace: Codable, Hashable, Sendable {
    /// The turn of a call.
    enum Turn: Hashable, Sendable {
        case now
        /// It has its turn after a time, and nobody else has it.
        case after(Duration)
        /// Its turn would come too late, in this time, and it has none.
        case tooLate(Duration)
    }

    /// A clock that goes back by more than this was set.
    private static let clockTolerance = 60.0

    /// The instant at which the next call is due if all calls are spread evenly.
    private var due = 0.0
    /// When ``due`` was written.
    private var written = 0.0

    /// Takes a turn.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - patience: How long the call can wait; `nil` for any time.
    ///   - now: The time of day.
    /// - Returns: The turn.
    mutating func take(_ limit: RateLimit, patience: Duration?, at now: Double) -> Turn {
        guard let rate = limit.rate else {
            return .now
        }
        if written - now > Self.clockTolerance {
            due -= written - now
            written = now
        }
        let next = max(due, now)
        // The file may say anything.
        let wait = Duration.bounded(seconds: next - Double(limit.burst - 1) / rate - now)
        // Less than a microsecond is an error of rounding.
        if wait > .microseconds(1), let patience, wait >= patience {
            return .tooLate(wait)
        }
        due = next + 1 / rate
        written = max(written, now)
        return wait > .microseconds(1) ? .after(wait) : .now
    }
}
