// SPDX-License-Identifier: MIT

/// When the cache answers a call, and what the call stores.
///
/// An answer is stored only after its status was accepted and its body decoded, and never after the call was cancelled.
/// `Cache-Control: no-store` (RFC 9111, section 5.2) in the request or the answer keeps it out of the cache.
///
/// ```swift
/// let orders = try await manager.request(.orders).cache(.elseNetwork(maxAge: .hours(1))).send()
/// ```
public struct CachePolicy: Sendable, Hashable {
    /// What the cache does.
    enum Mode: Sendable, Hashable {
        case networkOnly
        case reload
        case cacheOnly
        case elseNetwork
    }

    let mode: Mode

    /// The oldest stored answer that is good enough; `nil` takes any age.
    let maxAge: Duration?

    /// How long what is stored now stays fresh; `nil` leaves that to the reader's `maxAge`.
    private(set) var timeToLive: Duration?

    /// The cache is neither read nor written: what a call does when it says nothing else.
    public static let networkOnly = CachePolicy(mode: .networkOnly, maxAge: nil)

    /// The server is asked without regard to the cache, and its answer is stored.
    public static let reload = CachePolicy(mode: .reload, maxAge: nil)

    /// Only the cache is asked; without a usable entry the call fails with
    /// ``RestClientError/Code-swift.struct/notCached``.
    ///
    /// - Parameter maxAge: The oldest entry that is good enough, inclusive; zero and `nil` take any age.
    /// - Returns: The policy.
    public static func cacheOnly(maxAge: Duration? = nil) -> CachePolicy {
        CachePolicy(mode: .cacheOnly, maxAge: maxAge)
    }

    /// A good enough entry answers without the network; else the server is asked and its answer is stored.
    ///
    /// A stored answer that is too old but carries a validator is asked for conditionally (RFC 9110, section 13): when
    /// the server answers 304, the stored model is delivered and its age starts anew.
    ///
    /// - Parameter maxAge: The oldest entry that is good enough, inclusive; zero and `nil` take any age.
    /// - Returns: The policy.
    public static func elseNetwork(maxAge: Duration? = nil) -> CachePolicy {
        CachePolicy(mode: .elseNetwork, maxAge: maxAge)
    }

    /// The same policy, with a time to live for what it stores.
    ///
    /// Of the reader's `maxAge` and the writer's time to live the stricter one counts.
    ///
    /// - Parameter timeToLive: How long what is stored stays fresh.
    /// - Returns: The changed policy.
    public func storing(for timeToLive: Duration) -> CachePolicy {
        var policy = self
        policy.timeToLive = timeToLive
        return policy
    }

    private init(mode: Mode, maxAge: Duration?) {
        self.mode = mode
        self.maxAge = maxAge == .zero ? nil : maxAge
    }
}

extension Duration {
    /// A number of minutes.
    public static func minutes(_ minutes: some BinaryInteger) -> Duration {
        .seconds(Int64(clamping: minutes).multipliedClamping(by: 60))
    }

    /// A number of hours.
    public static func hours(_ hours: some BinaryInteger) -> Duration {
        .seconds(Int64(clamping: hours).multipliedClamping(by: 3_600))
    }

    /// A number of days of 24 hours.
    public static func days(_ days: some BinaryInteger) -> Duration {
        .seconds(Int64(clamping: days).multipliedClamping(by: 86_400))
    }
}

extension Int64 {
    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: factor)
        return overflows ? (self < 0 ? .min : .max) : product
    }
}
