// SPDX-License-Identifier: MIT

/// A policy that says when the cache responds to a call, and what the call stores.
///
/// A response is stored only after its status was accepted and its body decoded, and never after the call was
/// cancelled. `Cache-Control: no-store` (RFC 9111, section 5.2) in the request or the response keeps it out of the
/// cache, unless ``storingDespiteNoStore()`` says otherwise.
///
/// ``http`` follows the server's rules; the other policies follow the application's, on the same entries.
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
        case staleWhileRevalidate
        case networkElseCache
    }

    let mode: Mode

    /// The highest age of a stored response; `nil` for any age.
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

    /// The failures for which a stored response is delivered instead.
    let failures: CacheFailures

    /// True if the rules of HTTP decide.
    var followsHTTP: Bool { mode == .http || mode == .revalidate }

    /// True if equal policies are equal in all respects: migrations are closures, and names are texts.
    var hasComparableParts: Bool { migration.migrate == nil && bodyKey == nil }

    /// The cache is neither read nor written: the default.
    ///
    /// A successful unsafe request still invalidates stored responses for its URL.
    public static let networkOnly = CachePolicy(mode: .networkOnly, maxAge: nil)

    /// A request is sent whatever is stored, and its response is stored.
    public static let reload = CachePolicy(mode: .reload, maxAge: nil)

    /// The rules of HTTP decide (RFC 9111, for a private cache).
    ///
    /// This is the default of ``CallConfigurable/cache(_:)``.
    ///
    /// The server says with `Cache-Control`, `Expires` and `Vary` what is stored and for how long it is fresh; the
    /// request may say with its own `Cache-Control` what it accepts. Stale responses are revalidated. They are
    /// delivered while they are confirmed in the background, or when the server fails, where the server allows it
    /// (`stale-while-revalidate` and `stale-if-error`, RFC 5861), and when the server cannot be reached, where it does
    /// not forbid that (`must-revalidate`); ``Response/cache`` says so then. A request that allows only the cache
    /// (`only-if-cached`) gets 504 when nothing stored will do.
    public static let http = CachePolicy(mode: .http, maxAge: nil)

    /// The rules of HTTP decide, and each stored response is revalidated.
    ///
    /// Only a response that is fresh and `immutable` (RFC 8246) is delivered without a request.
    public static let revalidate = CachePolicy(mode: .revalidate, maxAge: nil)

    /// Only the cache is used; without a usable entry the call fails with
    /// ``RestClientError/Code-swift.struct/notCached``.
    ///
    /// - Parameter maxAge: The highest age of an entry, inclusive; zero and `nil` for any age.
    /// - Returns: The policy.
    public static func cacheOnly(maxAge: Duration? = nil) -> CachePolicy {
        CachePolicy(mode: .cacheOnly, maxAge: maxAge)
    }

    /// Delivers a stored response that is young enough; otherwise sends a request and stores its response.
    ///
    /// A stored response that is too old but has a validator is revalidated (RFC 9110, section 13): when the server
    /// responds with 304, the stored model is delivered and its age starts again.
    ///
    /// - Parameter maxAge: The highest age of an entry, inclusive; zero and `nil` for any age.
    /// - Returns: The policy.
    public static func elseNetwork(maxAge: Duration? = nil) -> CachePolicy {
        CachePolicy(mode: .elseNetwork, maxAge: maxAge)
    }

    /// Returns the policy with a time to live for stored responses.
    ///
    /// The stricter of the reader's `maxAge` and the writer's time to live applies. With ``http`` it replaces the
    /// server's freshness lifetime.
    ///
    /// - Parameter timeToLive: The time for which a stored response stays fresh.
    /// - Returns: The changed policy.
    public func storing(for timeToLive: Duration) -> CachePolicy {
        var policy = self
        policy.timeToLive = timeToLive
        return policy
    }

    /// Returns the policy, storing responses in spite of `no-store`.
    ///
    /// - Returns: The changed policy.
    public func storingDespiteNoStore() -> CachePolicy {
        var policy = self
        policy.storesDespiteNoStore = true
        return policy
    }

    /// Returns the policy for requests whose body says what is read, such as GraphQL queries: responses to a POST are
    /// stored by the digest of its body, and it invalidates nothing.
    ///
    /// - Parameter ignored: The members of a JSON body that the digest leaves out, as in `"extensions.requestId"`.
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
