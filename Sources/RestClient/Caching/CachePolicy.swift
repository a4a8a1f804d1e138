// SPDX-License-Identifier: MIT

/// A policy that says when the cache responds to a call, and what the call stores.
///
/// A response is stored only after its status was accepted and its body decoded, and never after the call was
/// cancelled. `Cache-Control: no-store` (RFC 9111, section 5.2) in the request or the response keeps it out of the
/// cache, unless ``storingDespiteNoStore()`` says otherwise.
///
/// ``http`` does what the server says; the other policies do what the application says, on the same entries.
///
/// ```swift
/// let orders = try await manager.request(.orders).cache(.elseNetwork(maxAge: .seconds(3600))).send()
/// let prices = try await manager.request(.prices).cache().send()      // by the rules of HTTP
/// ```
public struct CachePolicy: Sendable, Hashable {
    /// The way in which the cache is used.
    enum Mode: Sendable, Hashable {
        case networkOnly
        case reload
        case cacheOnly
        case elseNetwork
        case http
        case revalidate
        case thenNetwork
        case refreshSilently
        case staleWhileRevalidate
        case networkElseCache
    }

    let mode: Mode

    /// The oldest stored response that is good enough; `nil` takes any age.
    let maxAge: Duration?

    /// The time for which a response stored now stays fresh; `nil` leaves that to the reader's `maxAge`, or to the
    /// server.
    private(set) var timeToLive: Duration?

    /// True if responses are stored that the server, or the request, forbids to store.
    private(set) var storesDespiteNoStore = false

    /// The names that are left out of the digest of the request's body; `nil` unless such requests are reads.
    private(set) var bodyKey: Set<String>?

    /// The migration of stored bodies that no longer decode; they are misses by default.
    var migration = CacheMigration()

    /// Which failures the cache stands in for; none unless the mode is to ask the network first.
    let failures: CacheFailures

    /// True if the rules of HTTP decide.
    var followsHTTP: Bool { mode == .http || mode == .revalidate }

    /// The cache is neither read nor written: what a call does when it says nothing else.
    ///
    /// A successful unsafe request still invalidates stored responses for its URL.
    public static let networkOnly = CachePolicy(mode: .networkOnly, maxAge: nil)

    /// The server is asked without regard to the cache, and its response is stored.
    public static let reload = CachePolicy(mode: .reload, maxAge: nil)

    /// The rules of HTTP decide (RFC 9111, for a private cache): what a call does that asks for caching and says no
    /// more.
    ///
    /// The server says with `Cache-Control`, `Expires` and `Vary` what is stored and for how long it is fresh; the
    /// request may say with its own `Cache-Control` what it accepts. Stale responses are revalidated. They are
    /// delivered while they are confirmed in the background, or when the server fails, where the server allows it
    /// (`stale-while-revalidate` and `stale-if-error`, RFC 5861), and when the server cannot be reached, where it does
    /// not forbid that (`must-revalidate`); ``Response/cache`` says so then. A request that allows only the cache
    /// (`only-if-cached`) gets 504 when nothing stored will do.
    public static let http = CachePolicy(mode: .http, maxAge: nil)

    /// The rules of HTTP decide, and the server is asked each time whether the stored response is still the same.
    ///
    /// Only a response that is fresh and `immutable` (RFC 8246) is delivered unasked.
    public static let revalidate = CachePolicy(mode: .revalidate, maxAge: nil)

    /// Only the cache is asked; without a usable entry the call fails with
    /// ``RestClientError/Code-swift.struct/notCached``.
    ///
    /// - Parameter maxAge: The oldest entry that is good enough, inclusive; zero and `nil` take any age.
    /// - Returns: The policy.
    public static func cacheOnly(maxAge: Duration? = nil) -> CachePolicy {
        CachePolicy(mode: .cacheOnly, maxAge: maxAge)
    }

    /// Delivers a stored response that is good enough; else asks the server and stores its response.
    ///
    /// A stored response that is too old but carries a validator is asked for conditionally (RFC 9110, section 13):
    /// when the server responds with 304, the stored model is delivered and its age starts again.
    ///
    /// - Parameter maxAge: The oldest entry that is good enough, inclusive; zero and `nil` take any age.
    /// - Returns: The policy.
    public static func elseNetwork(maxAge: Duration? = nil) -> CachePolicy {
        CachePolicy(mode: .elseNetwork, maxAge: maxAge)
    }

    /// The same policy, with a time to live for what it stores.
    ///
    /// Of the reader's `maxAge` and the writer's time to live the stricter one counts. To ``http`` it stands in the
    /// place of whatever the server says about freshness.
    ///
    /// - Parameter timeToLive: The time for which a stored response stays fresh.
    /// - Returns: The changed policy.
    public func storing(for timeToLive: Duration) -> CachePolicy {
        var policy = self
        policy.timeToLive = timeToLive
        return policy
    }

    /// The same policy, storing also what `no-store` forbids to store: for those who know better than the server.
    ///
    /// - Returns: The changed policy.
    public func storingDespiteNoStore() -> CachePolicy {
        var policy = self
        policy.storesDespiteNoStore = true
        return policy
    }

    /// The same policy for requests whose body says what is read, such as GraphQL queries: responses to a POST are
    /// stored and found by the digest of its body, and it invalidates nothing.
    ///
    /// - Parameter ignored: The members of a JSON body that do not count, as in `"extensions.requestId"`.
    /// - Returns: The changed policy.
    public func keyedByBody(ignoring ignored: Set<String> = []) -> CachePolicy {
        var policy = self
        policy.bodyKey = ignored
        return policy
    }

    init(mode: Mode, maxAge: Duration?, failures: CacheFailures = []) {
        self.mode = mode
        self.maxAge = maxAge == .zero ? nil : maxAge
        self.failures = failures
    }
}
