// SPDX-License-Identifier: MIT

import JobGraphs
public import RestEssentials

/// An access token (RFC 6749, section 1.4), with its expiry and the refresh token for the next one.
///
/// It is `Codable`, so that it can be stored in ``/SharedStore/SharedData`` under a key with a sealed codec.
/// Descriptions do not show its secrets.
public struct AccessToken: Sendable, Hashable, Codable {
    /// The token as it is sent.
    public var value: String

    /// The time at which the token expires; `nil` if it is unknown.
    public var expiresAt: Date?

    /// The refresh token (RFC 6749, section 1.5), if there is one.
    public var refreshToken: String?

    /// The user of the token, by a name of your own.
    ///
    /// Calls with tokens of one user share stored responses; without a name, each token has separate responses.
    public var user: String?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: The token as it is sent.
    ///   - expiresAt: The time at which it expires, if known.
    ///   - refreshToken: The refresh token, if there is one.
    ///   - user: The user, by a name of your own.
    public init(_ value: String, expiresAt: Date? = nil, refreshToken: String? = nil, user: String? = nil) {
        self.value = value
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.user = user
    }

    /// Creates a token that has just been issued.
    ///
    /// - Parameters:
    ///   - value: The token as it is sent.
    ///   - lifetime: The time for which it is valid from `now` on, as in `expires_in`.
    ///   - now: The time at which it was issued; the current time by default.
    ///   - refreshToken: The refresh token, if there is one.
    ///   - user: The user, by a name of your own.
    public init(
        _ value: String,
        expiresIn lifetime: Duration,
        now: Date = Date(),
        refreshToken: String? = nil,
        user: String? = nil
    ) {
        let end = now.addingTimeInterval(lifetime / .seconds(1))
        self.init(value, expiresAt: end, refreshToken: refreshToken, user: user)
    }

    /// Returns true if the token has a user, another one is given, and the two differ.
    func isOfAnotherUser(than other: String?) -> Bool {
        guard let user, let other else {
            return false
        }
        return user != other
    }

    /// Returns the token with missing parts taken from the previous one (RFC 6749, section 6).
    func succeeding(_ previous: AccessToken?) -> AccessToken {
        var token = self
        token.refreshToken = refreshToken ?? previous?.refreshToken
        token.user = user ?? previous?.user
        return token
    }
}

extension AccessToken: CredentialResult {}

extension AccessToken: MirroredByDescription {
    /// The expiry of the token, without its value.
    public var description: String {
        // Stored bytes may hold any number, and not every one has a text as a date.
        let end = expiresAt.map { min(.distantFuture, max(.distantPast, $0)) }
        return "AccessToken(\(Redaction.mask)\(end.map { ", expires \($0)" } ?? ""))"
    }
}
