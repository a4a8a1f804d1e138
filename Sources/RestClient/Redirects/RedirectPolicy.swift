// SPDX-License-Identifier: MIT

/// The policy for redirects (RFC 9110, section 15.4).
///
/// A followed redirect keeps method and body for 307 and 308, and becomes a GET without a body for 303, and for 301
/// and 302 after a POST. Another server, which is another origin or a path beside that of the server's address, gets
/// only the header fields that mean the same to every server, such as `Accept`, `Content-Type`, `Range` and
/// `User-Agent`, and those that ``CallConfigurable/fieldsForAnyOrigin(_:)`` names; never credentials, the `Host` of
/// the one before, or the validators of a stored response. A body goes along to another server too, except that of a
/// token request: refuse redirects of requests whose bodies are secrets. Only `http` and `https` are followed, and
/// from `https` to `http` only if ``allowingPlainHTTP()`` says so. A redirect without a location, or with an empty
/// one, is a response like any other.
public struct RedirectPolicy: Sendable, Hashable {
    enum Mode: Sendable, Hashable {
        case follow(limit: Int)
        case manual
        case refuse
    }

    let mode: Mode

    private(set) var allowsPlainHTTP = false

    /// Follows at most ten redirects.
    public static let follow = follow(limit: 10)

    /// Returns the redirect as the response; accept its status with ``CallConfigurable/accepting(_:)``.
    public static let manual = RedirectPolicy(mode: .manual)

    /// Fails the call with ``RestClientError/Code-swift.struct/redirectRefused`` on a redirect.
    public static let refuse = RedirectPolicy(mode: .refuse)

    private init(mode: Mode) {
        self.mode = mode
    }

    /// Follows a number of redirects; one more fails the call with
    /// ``RestClientError/Code-swift.struct/tooManyRedirects``.
    ///
    /// A redirect that leads to the same request, its cookies included, for the third time is a loop, and fails the
    /// call with ``RestClientError/Code-swift.struct/redirectLoop`` at once.
    ///
    /// - Parameter limit: How many, at least zero.
    /// - Returns: The policy.
    public static func follow(limit: Int) -> RedirectPolicy {
        RedirectPolicy(mode: .follow(limit: max(0, limit)))
    }

    /// Follows redirects from `https` to `http` too, which fail the call with
    /// ``RestClientError/Code-swift.struct/redirectRefused`` otherwise.
    ///
    /// Anybody on the way can then read and change what follows. Credentials do not go along, whatever other options
    /// say.
    ///
    /// - Returns: A changed copy.
    public func allowingPlainHTTP() -> RedirectPolicy {
        var policy = self
        policy.allowsPlainHTTP = true
        return policy
    }
}

extension RedirectPolicy: CustomStringConvertible {
    /// The policy in words, as in `follow 10`.
    public var description: String {
        let text =
            switch mode {
            case .follow(let limit): "follow \(limit)"
            case .manual: "manual"
            case .refuse: "refuse"
            }
        return allowsPlainHTTP ? "\(text), also to plain HTTP" : text
    }
}
