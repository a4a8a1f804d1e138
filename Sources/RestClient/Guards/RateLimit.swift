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
/// What the server says is heeded besides: `Retry-After` of 429 and 503, `RateLimit` and its older forms, and
/// `X-RateLimit-Remaining` with `X-RateLimit-Reset`. When nothing is left, calls wait until the quota is renewed.
public struct RateLimit: Sendable, Hashable {
    /// How many calls may begin in each ``period``; `nil` for as many as the server says.
    public let count: Int?

    /// The time to which the count refers.
    public let period: Duration

    /// How many calls may begin at once after a pause; the others come evenly spread.
    public let burst: Int

    /// A Boolean value that is true if the pace that the server asks for is kept too; `true` by default.
    public var heedsServer = true

    /// The longest wait for a turn; `nil`, the default, for the time that the call has.
    public var maximumWait: Duration?

    /// A Boolean value that is true if the processes of one directory share the limit; `false` by default, see
    /// ``sharedAcrossProcesses()``.
    public private(set) var isSharedAcrossProcesses = false

    /// How many calls begin in a second; `nil` for any number.
    let rate: Double?

    private init(count: Int?, period: Duration, burst: Int) {
        self.count = count.map { max(1, $0) }
        // Waits are products of these, and must not be too long for a duration.
        self.period = min(max(period, .microseconds(1)), .century)
        self.burst = min(max(1, burst), 1 << 32)
        // A division of durations takes longer than all else that is decided by the rate.
        rate = self.count.map { [period = self.period] in Double($0) / (period / .seconds(1)) }
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

    /// Lets some calls begin in each minute.
    ///
    /// - Parameters:
    ///   - count: How many, at least one.
    ///   - burst: How many of them may begin at once.
    /// - Returns: The limit.
    public static func perMinute(_ count: Int, burst: Int = 1) -> RateLimit {
        RateLimit(count: count, period: .seconds(60), burst: burst)
    }

    /// Lets some calls begin in each period.
    ///
    /// - Parameters:
    ///   - count: How many, at least one.
    ///   - period: The period.
    ///   - burst: How many of them may begin at once.
    /// - Returns: The limit.
    public static func count(_ count: Int, per period: Duration, burst: Int = 1) -> RateLimit {
        RateLimit(count: count, period: period, burst: burst)
    }

    /// Returns the same limit for the calls of all processes together that use one directory
    /// (``RestClientManager/persist(in:)``).
    ///
    /// The processes take their turns in a file of the directory, which costs each call a small write. The names of the
    /// server and the API tell whose calls share the limit, so the processes have to use the same ones. Each process
    /// keeps the limit for itself besides. So if the file cannot be used, that one remains, and the event
    /// ``ClientEvent/Kind-swift.enum/rateLimitNotShared(server:_:)`` says why; without a directory it is the only one.
    ///
    /// A call that is cancelled while it waits does not give its turn back. What a server says is known to the process
    /// that has heard it.
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
            "\(count) calls in \(period)" + (burst > 1 ? ", \(burst) at once" : "")
                + (isSharedAcrossProcesses ? ", all processes together" : "")
        } ?? "as the server says"
    }
}
