// SPDX-License-Identifier: MIT

extension CachePolicy {
    /// Delivers the stored response, however old, and then the server's: two values of ``RequestNode/responses()``.
    ///
    /// With nothing stored there is one value, and no error. ``RequestNode/send()`` and ``RequestNode/response()``,
    /// which have room for one value, give the server's; ``RequestNode/resume()`` calls `onCacheSuccess` with the first
    /// and `onSuccess` with the second. The server is asked conditionally, so that an unchanged body is not sent again.
    ///
    /// ```swift
    /// for try await response in manager.request(.orders).cache(.thenNetwork).responses() { show(response.model) }
    /// ```
    public static let thenNetwork = CachePolicy(mode: .thenNetwork, maxAge: nil)

    /// Delivers the stored response, and refreshes it in the background for the next time; see
    /// ``refreshSilently(maxAge:)``.
    public static let refreshSilently = refreshSilently()

    /// Delivers the stored response, and refreshes it in the background for the next time.
    ///
    /// The background call has its own identifier and events; its failure is an event and nothing else. Without a good
    /// enough entry the server is asked at once.
    ///
    /// - Parameter maxAge: The oldest entry that is good enough, inclusive; zero and `nil` take any age.
    /// - Returns: The policy.
    public static func refreshSilently(maxAge: Duration? = nil) -> CachePolicy {
        CachePolicy(mode: .refreshSilently, maxAge: maxAge)
    }

    /// Delivers the stored response, whatever its age; refreshes it in the background when it is too old.
    ///
    /// This is the application's own `stale-while-revalidate`, whatever the server says; that of RFC 5861 is part of
    /// ``http``.
    ///
    /// - Parameter maxAge: The age, inclusive, up to which a response need not be refreshed.
    /// - Returns: The policy.
    public static func staleWhileRevalidate(maxAge: Duration) -> CachePolicy {
        CachePolicy(mode: .staleWhileRevalidate, maxAge: maxAge)
    }

    /// The server is asked, and what is stored stands in when that fails.
    ///
    /// Other failures, such as 404, reach the caller. The server is asked conditionally, so that an unchanged body is
    /// not sent again.
    ///
    /// - Parameters:
    ///   - failures: Which failures count; by default those that are likely to pass.
    ///   - maxAge: The oldest entry that is good enough, inclusive; zero and `nil` take any age.
    /// - Returns: The policy.
    public static func networkElseCache(
        on failures: CacheFailures = .temporary,
        maxAge: Duration? = nil
    ) -> CachePolicy {
        CachePolicy(mode: .networkElseCache, maxAge: maxAge, failures: failures)
    }
}
