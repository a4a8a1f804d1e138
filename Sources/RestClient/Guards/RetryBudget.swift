// SPDX-License-Identifier: MIT

/// A limit of the retries of a server, in proportion to the calls to it, so that an outage is not multiplied.
///
/// All calls to the server share it, nodes of graphs among them. A retry that it has no room for is suppressed, with
/// the reason ``/JobGraphs/RetrySuppression/budgetExhausted``, and the failure stands.
public struct RetryBudget: Sendable, Hashable {
    /// The number of retries that there may be for each call; 0.1 by default.
    public var ratio: Double

    /// The number of retries that there may be in each second besides, for when there are few calls; 1 by default.
    public var minimumPerSecond: Double

    /// The stretch of time in which calls and retries are counted; 10 seconds by default.
    public var window: Duration = .seconds(10)

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - ratio: How many retries there may be for each call.
    ///   - minimumPerSecond: How many there may be in each second besides.
    public init(ratio: Double = 0.1, minimumPerSecond: Double = 1) {
        self.ratio = max(0, ratio)
        self.minimumPerSecond = max(0, minimumPerSecond)
    }

    /// The budget with the defaults: a tenth of the calls, and one in each second.
    public static let standard = RetryBudget()

    func allows(calls: Int, retries: Int) -> Bool {
        let room = ratio * Double(calls) + minimumPerSecond * (window / .seconds(1))
        // Single precision hides errors of rounding: thirty times a tenth is room for three.
        return Float(retries + 1) <= Float(room)
    }
}

extension RetryBudget: CustomStringConvertible {
    /// The budget in words.
    public var description: String { "\(ratio) of the calls, and \(minimumPerSecond) a second" }
}

/// The calls that share a budget, and their retries; does no I/O.
struct RetryCounts: Sendable {
    private var calls = StartLog()
    private var retries = StartLog()
    /// The latest length of the window.
    private var length = Duration.zero

    mutating func countCall(_ budget: RetryBudget, at now: Duration) {
        length = budget.window
        _ = count(calls: 1, at: now, in: length)
    }

    /// Takes one retry from the budget; returns false if it allows none.
    mutating func takeRetry(_ budget: RetryBudget, at now: Duration) -> Bool {
        let counts = count(at: now, in: budget.window)
        guard budget.allows(calls: counts.calls, retries: counts.retries) else {
            return false
        }
        length = budget.window
        _ = count(retries: 1, at: now, in: length)
        return true
    }

    mutating func isIdle(at now: Duration) -> Bool { count(at: now, in: length) == (0, 0) }

    private mutating func count(
        calls newCalls: Int = 0,
        retries newRetries: Int = 0,
        at now: Duration,
        in length: Duration
    ) -> (calls: Int, retries: Int) {
        let step = StartLog.step(of: now, in: length)
        return (calls.count(newCalls, upTo: step), retries.count(newRetries, upTo: step))
    }
}
