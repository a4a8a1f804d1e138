// SPDX-License-Identifier: MIT

public import RestEssentials

/// What proves to a server who calls: an access token (RFC 6749, section 1.4), until when it holds, and what gets the next one.
///
/// It can be kept: `Codable` for ``/SharedStore/SharedData``, under a key with a sealing codec. Descriptions show none of
/// its secrets.
public struct AccessToken: Sendable, Hashable, Codable {
    /// The token as it is sent.
    public var value: String

    /// When the token ends; `nil` when that is not known, and only a refusal tells.
    public var expiresAt: Date?

    /// What a new token is had for (RFC 6749, section 1.5), when there is such a thing.
    public var refreshToken: String?

    /// Whose the token is, by a name of your own.
    ///
    /// Calls with tokens of one user share stored responses; without a name each token has answers of its own.
    public var user: String?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: The token as it is sent.
    ///   - expiresAt: When it ends, if that is known.
    ///   - refreshToken: What the next one is had for, if anything.
    ///   - user: Whose it is, by a name of your own.
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
    ///   - lifetime: How long it holds from `now` on, as `expires_in` says.
    ///   - now: When it was issued; the present by default.
    ///   - refreshToken: What the next one is had for, if anything.
    ///   - user: Whose it is, by a name of your own.
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

    /// Whether both name their users, and these are two.
    func isOfAnotherUser(than other: AccessToken) -> Bool {
        guard let user, let otherUser = other.user else {
            return false
        }
        return user != otherUser
    }

    /// The token with what it leaves out taken over from the one before it (RFC 6749, section 6).
    func succeeding(_ previous: AccessToken?) -> AccessToken {
        var token = self
        token.refreshToken = refreshToken ?? previous?.refreshToken
        token.user = user ?? previous?.user
        return token
    }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// Until when the token holds, without its value.
    public var description: String {
        "AccessToken(\(Redaction.mask)\(expiresAt.map { ", expires \($0)" } ?? ""))"
    }

    /// The same for `dump` and for whoever looks inside.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description])
    }
}
