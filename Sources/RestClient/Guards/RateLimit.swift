// SPDX-License-Identifier: MIT

import RestEssentials

/// A limit of how often calls go to a server.
///
/// Calls that come too early wait for their turn, first come first served, and hold no worker slot meanwhile. One that
/// could not begin in its time fails at once with ``RestClientError/Code-swift.struct/rateLimitExceeded``.
///
/// ```swift
/// manager.servers[.store] = Server("https://api.example.com/v1").rateLimit(.perSecond(20, burst: 5))
/// manager.servers[.maps] = Server("https://maps.example.com").rateLimit(.learned)
/// ```
///
/// ``perSecond(_:burst:)`` and its like spread calls evenly (a token bucket). ``window(_:per:)`` lets never more than
/// its number begin in any span of the period, but perhaps all of them at once.
///
/// What the server says applies besides: `Retry-After` of 429 and 503, `RateLimit` with `RateLimit-Policy`, the older
/// forms of both, and `X-RateLimit-Remaining` with `X-RateLimit-Reset`. When nothing is left, calls wait until the
/// quota is renewed. If a `RateLimit` does not say when that is (it has no `t`), one call at a time begins when the
/// share of the window has passed that its policy grants to one call: `q=100;w=60` lets one begin in each 0.6 seconds.
public struct RateLimit: Sendable, Hashable {
    /// The number of calls that may begin in each ``period``; `nil` for as many as the server says.
    package let count: Int?

    package let period: Duration

    /// The number of calls that may begin at once after a pause: in a window, all.
    package let burst: Int

    /// A Boolean value that is true if the pace that the server asks for is kept too; `true` by default.
    public var heedsServer = true

    /// The longest wait for a turn; `nil`, the default, for the time that the call has.
    public var maximumWait: Duration?

    /// A Boolean value that is true if the processes of one directory share the limit; `false` by default, see
    /// ``sharedAcrossProcesses()``.
    private(set) var isSharedAcrossProcesses = false

    /// The number of calls that begin in a second if they are evenly spread; `nil` if they are not.
    let rate: Double?

    /// The sliding window; `nil` if calls are evenly spread.
    let span: Span?

    private init(count: Int?, period: Duration, burst: Int, isWindow: Bool = false) {
        self.count = count.map { max(1, $0) }
        // Waits are products of these, and must not be too long for a duration.
        self.period = min(max(period, .microseconds(1)), .century)
        self.burst = min(max(1, burst), 1 << 32)
        // A division of durations takes longer than all else that is decided by the rate.
        rate = isWindow ? nil : self.count.map { [period = self.period] in Double($0) / (period / .seconds(1)) }
        span = isWindow ? self.count.map { [period = self.period] in Span($0, in: period) } : nil
    }

    /// Lets some calls begin in each second.
    ///
    /// - Parameters:
    ///   - count: How many, at least one.
    ///   - burst: How many of them may begin at once.
    /// - Returns: The limit.
    public static func perSecond(_ count: Int, burst: Int = 1) -> RateLimit {
        RateLimit(count: count, period: .seconds(1), burst: burst)
    }

    /// Lets some calls begin in each period.
    ///
    /// Just after a pause, the calls of a burst and those of a period may begin in the same period: up to 199 with a
    /// count and a burst of 100. ``window(_:per:)`` never lets more begin.
    ///
    /// - Parameters:
    ///   - count: How many, at least one.
    ///   - period: The period.
    ///   - burst: How many of them may begin at once.
    /// - Returns: The limit.
    public static func count(_ count: Int, per period: Duration, burst: Int = 1) -> RateLimit {
        RateLimit(count: count, period: period, burst: burst)
    }

    /// Lets some calls begin in any span of a period's length, wherever it begins (a sliding window).
    ///
    /// All of them may begin at once. With a limit of 100, each of the next ones waits until the 100th call before it
    /// began a period ago. Use it for servers that count the calls of any minute.
    ///
    /// The instants of the latest calls are remembered: each for counts up to 512. Of more, those in the same 512th
    /// part of the period are remembered as the latest of them, so that a call may wait longer than necessary by that
    /// part. A request that is sent from inside another one, by an attempt interceptor or a dummy, counts and does not
    /// wait.
    ///
    /// ```swift
    /// manager.servers[.store] = Server("https://api.example.com/v1").rateLimit(.window(100, per: .seconds(60)))
    /// ```
    ///
    /// - Parameters:
    ///   - count: How many, at least one.
    ///   - period: The period.
    /// - Returns: The limit.
    public static func window(_ count: Int, per period: Duration) -> RateLimit {
        RateLimit(count: count, period: period, burst: count, isWindow: true)
    }

    /// Returns the same limit for the calls of all processes together that use one directory
    /// (``RestClientManager/persist(in:)``).
    ///
    /// The processes take their turns in a file of the directory, which costs each call a small write. The names of the
    /// server and the API say whose calls share the limit, so the processes have to use the same ones. In addition each
    /// process keeps the limit for itself. So if the file cannot be used, that one remains, and the event
    /// ``ClientEvent/Kind-swift.enum/rateLimitNotShared(server:_:)`` says why; without a directory it is the only one.
    ///
    /// A call that is cancelled while it waits does not give its turn back. What a server says is known to the process
    /// that has heard it. When a process comes with another limit, the calls that have begun count by that one, and
    /// turns that were taken ahead hold up no other call: give all processes the same limit.
    /// ``ServerGuards/release(_:)`` forgets all turns. Those of servers without calls are removed after a week.
    ///
    /// ```swift
    /// try manager.persist(in: directory)
    /// manager.servers[.store] = Server("https://api.example.com").rateLimit(.perSecond(20).sharedAcrossProcesses())
    /// ```
    ///
    /// - Returns: A changed copy.
    public func sharedAcrossProcesses() -> RateLimit {
        var limit = self
        limit.isSharedAcrossProcesses = true
        return limit
    }

    /// Keeps the pace that the server asks for, and no other.
    public static let learned = RateLimit(count: nil, period: .seconds(1), burst: 1)
}

extension RateLimit: CustomStringConvertible {
    /// The limit in words, as in `20 calls in 1.0 seconds`.
    public var description: String {
        count.map { count in
            "\(count) calls in \(span == nil ? "" : "any ")\(period)"
                + (burst > 1 && span == nil ? ", \(burst) at once" : "")
                + (isSharedAcrossProcesses ? ", all processes together" : "")
        } ?? "as the server says"
    }
}
