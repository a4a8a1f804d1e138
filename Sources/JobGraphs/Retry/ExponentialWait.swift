// SPDX-License-Identifier: MIT

import RestEssentials

/// A wait that grows with each attempt, up to a limit: pure.
enum ExponentialWait {
    /// Returns the wait after an attempt, without its random part.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt, beginning with 1.
    ///   - first: The wait after the first one.
    ///   - multiplier: The factor by which each wait exceeds the one before; less than 1 counts as 1.
    ///   - longest: The longest wait.
    /// - Returns: The wait, in seconds.
    static func seconds(after attempt: Int, first: Duration, multiplier: Double, longest: Duration) -> Double {
        let longest = max(0, longest / .seconds(1))
        var seconds = min(longest, max(0, first / .seconds(1)))
        for _ in 1..<max(1, attempt) {
            // In this order, a result that is not a number (zero times infinity) becomes the longest wait.
            let next = min(longest, seconds * max(1, multiplier))
            // A wait that no longer grows is the same for all later attempts, of which there may be many.
            guard next != seconds else {
                break
            }
            seconds = next
        }
        return seconds
    }
}
