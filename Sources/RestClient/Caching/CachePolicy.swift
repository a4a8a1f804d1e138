// SPDX-License-Identifier: MIT

/// A policy that says when the cache responds to a call, and what the call stores.
///
/// A response is stored only after its status was accepted and its body decoded, and never after the call was
/// cancelled. `Cache-Control: no-store` (RFC 9111, section 5.2) in the request or the response prevents storing, unless
/// ``storingDespiteNoStore()`` overrides it.
///
/// ``http`` follows the server's rules; the other policies follow the application's, on the same entries.
///
/// ```swift
/// let orders = try await manager.request(.orders).cache(.elseNetwork(maxAge: .seconds(3600))).send()
/// let prices = try await manager.request(.prices).cache().send()      // by the rules of HTTP
/// ```
public struct CachePolicy: Sendable, Hashable {
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

    private(set) var mode: Mode

    private(set) var maxAge: Duration?

    /// The time for which a newly stored response stays fresh; `nil` leaves that to the reader's `maxAge`, or to the
    /// server.
    private(set) var timeToLive: Duration?

    private(set) var storesDespiteNoStore = false

    /// The failures for which a stored response may be delivered instead.
    let failures: CacheFailures

    var followsHTTP: Bool { mode == .http || mode == .revalidate }

    var isInMemory = false

    var keepsModels = false

    var details = OptionalDetails.none

    /// The cache is neither read nor written: the default.
    ///
    /// A successful unsafe request still invalidates stored responses for its URL.
    public static let networkOnly = CachePolicy(mode: .networkOnly, maxAge: nil)

    /// A request is always sent, and its response is stored.
    public static let reload = CachePolicy(mode: .reload, maxAge: nil)

    /// The rules of HTTP decide (RFC 9111, for a private cache).
    ///
    /// This is the default of ``CallConfigurable/cache(_:)``.
    ///
    /// With `Cache-Control`, `Expires` and `Vary` the server determines which responses are stored and for how long
    /// they are fresh; with its own `Cache-Control` the request may restrict which ones it accepts. Stale responses are
    /// revalidated. They are delivered while they are confirmed in the background, or when the server fails, if the
    /// server allows it (`stale-while-revalidate` and `stale-if-error`, RFC 5861), and when the server cannot be
    /// reached, unless it forbids that (`must-revalidate`); ``Response/cache`` reports such cases. A request that
    /// allows only the cache (`only-if-cached`) gets 504 when no stored response is usable.
    public static let http = CachePolicy(mode: .http, maxAge: nil, failures: .ofServerOrNetwork)

    /// The rules of HTTP decide, and each stored response is revalidated.
    ///
    /// Only a response that is fresh and `immutable` (RFC 8246) is delivered without a request.
    public static let revalidate = CachePolicy(mode: .revalidate, maxAge: nil, failures: .ofServerOrNetwork)

    /// Only the cache is used; without a usable entry the call fails with
    /// ``RestClientError/Code-swift.struct/notCached``.
    ///
    /// - Parameter maxAge: The maximum age of an entry, inclusive; zero and `nil` accept any age.
    /// - Returns: The policy.
    public static func cacheOnly(maxAge: Duration? = nil) -> CachePolicy {
        CachePolicy(mode: .cacheOnly, maxAge: maxAge)
    }

    /// Delivers a stored response that is young enough; otherwise sends a request and stores its response.
    ///
    /// A stored response that is too old but has a validator is revalidated (RFC 9110, section 13): when the server
    /// responds with 304, the stored model is delivered and its age starts again.
    ///
    /// - Parameter maxAge: The maximum age of an entry, inclusive; zero and `nil` accept any age.
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
        with { $0.timeToLive = timeToLive }
    }

    /// Returns the policy that stores responses in spite of `no-store`.
    ///
    /// - Returns: The changed policy.
    public func storingDespiteNoStore() -> CachePolicy {
        with { $0.storesDespiteNoStore = true }
    }

    /// Returns the policy for requests whose body determines what is read, such as GraphQL queries: responses to a POST
    /// are stored by the digest of its body, and the request invalidates nothing.
    ///
    /// - Parameter ignored: The members of a JSON body that the digest ignores, as in `"extensions.requestId"`.
    /// - Returns: The changed policy.
    public func keyedByBody(ignoring ignored: Set<String> = []) -> CachePolicy {
        with { $0.details.value.bodyKey = ignored }
    }

    /// Returns the policy that uses only the cache, as ``cacheOnly(maxAge:)`` does, and finds what this one stores.
    func readingOnly(maxAge: Duration?) -> CachePolicy {
        inMode(of: .cacheOnly(maxAge: maxAge))
    }

    /// Returns the policy that does what another one does, where this one stores.
    func inMode(of other: CachePolicy) -> CachePolicy {
        var policy = self
        policy.mode = other.mode
        policy.maxAge = other.maxAge
        return policy
    }

    func isInMode(of other: CachePolicy) -> Bool { mode == other.mode }

    func with(_ change: (inout CachePolicy) -> Void) -> CachePolicy {
        var policy = self
        change(&policy)
        return policy
    }

    init(mode: Mode, maxAge: Duration?, failures: CacheFailures = []) {
        self.mode = mode
        self.maxAge = maxAge == .zero ? nil : maxAge
        self.failures = failures
    }
}

extension CachePolicy {
    /// Delivers the stored response, whatever its age, and then the server's: two values of
    /// ``RequestNode/responses()``.
    ///
    /// If nothing is stored, there is one value and no error. ``RequestNode/send()`` and ``RequestNode/response()``
    /// return the server's; ``RequestNode/resume(_:)`` calls `onCacheSuccess` with the first and `onSuccess` with the
    /// second. The request is conditional, so that an unchanged body is not sent again.
    ///
    /// ```swift
    /// for try await response in manager.request(.orders).cache(.thenNetwork).responses() { show(response.model) }
    /// ```
    public static let thenNetwork = CachePolicy(mode: .thenNetwork, maxAge: nil)

    /// Delivers the stored response, whatever its age, and refreshes it in the background if it is too old.
    ///
    /// The background call has its own identifier and events; its failure is only an event. If nothing is stored, a
    /// request is sent. This is the application's own `stale-while-revalidate`, independent of the server; that of RFC
    /// 5861 is part of ``http``.
    ///
    /// - Parameter maxAge: The age, inclusive, up to which a response is not refreshed. Defaults to zero: it is
    ///   refreshed each time.
    /// - Returns: The policy.
    public static func staleWhileRevalidate(maxAge: Duration = .zero) -> CachePolicy {
        CachePolicy(mode: .staleWhileRevalidate, maxAge: maxAge)
    }

    /// Sends a request, and delivers the stored response if that fails.
    ///
    /// Other failures, such as 404, reach the caller. The request is conditional, so that an unchanged body is not sent
    /// again.
    ///
    /// - Parameters:
    ///   - failures: The failures for which the stored response is delivered. Defaults to those that are likely to be
    ///     temporary.
    ///   - maxAge: The maximum age of an entry, inclusive; zero and `nil` accept any age.
    /// - Returns: The policy.
    public static func networkElseCache(
        on failures: CacheFailures = .temporary,
        maxAge: Duration? = nil
    ) -> CachePolicy {
        CachePolicy(mode: .networkElseCache, maxAge: maxAge, failures: failures)
    }
}

extension CachePolicy {
    /// Returns the policy, storing responses in memory only: they are never written to the file or the engine of the
    /// cache, and end with the process.
    ///
    /// ```swift
    /// manager.apis[.balance] = API(.get, "/balance").cache(.http.inMemory())
    /// ```
    ///
    /// Calls with any policy find such a response, and the methods of ``RestClientManager/cache`` read, change,
    /// invalidate and remove it. It stays in memory if a call confirms or changes it, and other processes do not see
    /// it. A response of the same request in the file is removed when one is stored in memory, and the
    /// reverse. All of them together have at most as many bytes as the memory tier may have (`memoryByteLimit`, 8 MiB
    /// by default), and each an eighth of that: a larger one is not stored, which is an event.
    ///
    /// - Returns: The changed policy.
    public func inMemory() -> CachePolicy {
        with { $0.isInMemory = true }
    }

    /// Returns the policy, keeping decoded models in memory beside the bytes of their responses: an equal call gets the
    /// model that was decoded before.
    ///
    /// ```swift
    /// manager.apis[.catalogue] = API(.get, "/catalogue").cache(.http.keepingModels())
    /// ```
    ///
    /// Use it for value types only, whose decoding depends on the response alone: an instance of a class would be
    /// shared by all calls. A kept model is handed out only if the stored response is unchanged and fresh, and the call
    /// equals the one that decoded it, also in its model type and its dogma; every other call decodes. So does a call
    /// with a call interceptor, a header provider, a token source or a decoding closure, and one whose
    /// response was selected by `Vary`.
    ///
    /// A kept model counts as many bytes as its body in the limit of the memory tier (`memoryByteLimit`), is evicted
    /// with it, and is not kept if there is no tier.
    ///
    /// - Returns: The changed policy.
    public func keepingModels() -> CachePolicy {
        with { $0.keepsModels = true }
    }
}
