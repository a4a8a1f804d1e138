// SPDX-License-Identifier: MIT

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
