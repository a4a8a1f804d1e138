// SPDX-License-Identifier: MIT

/// The policy for redirects (RFC 9110, section 15.4).
///
/// A followed redirect keeps method and body for 307 and 308, and becomes a GET without a body for 303, and for 301 and
/// 302 after a POST. To another origin it is sent without credentials and without the header fields of the server and
/// the API (``CallConfigurable/fieldsForAnyOrigin(_:)``). Only `http` and `https` are followed.
public struct RedirectPolicy: Sendable, Hashable {
    enum Mode: Sendable, Hashable {
        case follow(limit: Int)
        case manual
        case refuse
    }

    let mode: Mode

    /// Follows at most ten redirects.
    public static let follow = follow(limit: 10)

    /// Returns the redirect as the response; accept its status with ``CallConfigurable/accepting(_:)-(StatusSet)``.
    public static let manual = RedirectPolicy(mode: .manual)

    /// Fails the call with ``RestClientError/Code-swift.struct/redirectRefused`` on a redirect.
    public static let refuse = RedirectPolicy(mode: .refuse)

    /// Follows a limited number of redirects; one more fails the call with
    /// ``RestClientError/Code-swift.struct/tooManyRedirects``.
    ///
    /// - Parameter limit: The maximum number, at least zero.
    /// - Returns: The policy.
    public static func follow(limit: Int) -> RedirectPolicy {
        RedirectPolicy(mode: .follow(limit: max(0, limit)))
    }
}
