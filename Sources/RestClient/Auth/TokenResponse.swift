// SPDX-License-Identifier: MIT

public import RestEssentials

/// The response of a token server to a login or a refresh (RFC 6749, section 5.1); ``token(user:now:)`` converts it to
/// a token.
///
/// Descriptions do not show its secrets.
public struct TokenResponse: Sendable, Hashable, Decodable {
    let accessToken: String

    /// The type of the token, as in `Bearer`; some servers omit it.
    public let tokenType: String?

    let expiresIn: Duration?

    let expiresAt: Date?

    let refreshToken: String?

    /// The scope of the token, if it differs from the requested one.
    public let scope: String?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case expiresAt = "expires_at"
        case refreshToken = "refresh_token"
        case scope
    }

    /// Decodes the members defined by RFC 6749.
    ///
    /// Only the token itself has to be there. A member that has another type than it should, or no meaning, counts as
    /// absent, with these exceptions, which some servers send: a list of scopes, a lifetime in a string, and a moment
    /// since 1970, in any unit, as the lifetime or as `expires_at`.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if there is no token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? {
            (try? container.decode(String.self, forKey: key)).flatMap { $0.isEmpty ? nil : $0 }
        }
        accessToken = try container.decode(String.self, forKey: .accessToken)
        guard !accessToken.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .accessToken,
                in: container,
                debugDescription: "the token is empty"
            )
        }
        tokenType = text(.tokenType)
        refreshToken = text(.refreshToken)
        let scopes = try? container.decode([String].self, forKey: .scope)
        scope = text(.scope) ?? scopes.flatMap { $0.isEmpty ? nil : $0.joined(separator: " ") }
        let stated = Self.number(in: container, .expiresIn)
        if let moment = stated.flatMap(Self.moment) {
            (expiresIn, expiresAt) = (nil, moment)
        } else if let stated {
            // Limited to a century, so that no number traps.
            (expiresIn, expiresAt) = (.seconds(min(max(0, stated), Duration.longestDelta / .seconds(1))), nil)
        } else {
            let date = text(.expiresAt).flatMap(StatedTime.isoDate)
            (expiresIn, expiresAt) = (nil, date ?? Self.number(in: container, .expiresAt).flatMap(Self.moment))
        }
    }

    /// Returns a number, which may be in a string.
    private static func number(in container: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys) -> Double? {
        if let number = try? container.decode(Double.self, forKey: key) {
            return number.isFinite ? number : nil
        }
        guard let text = try? container.decode(String.self, forKey: key) else {
            return nil
        }
        let digits = FieldList.trimmed(text[...])
        return digits.first == "-" ? StatedTime.number(digits.dropFirst()).map { -$0 } : StatedTime.number(digits)
    }

    /// Returns the moment that a number means; `nil` for a lifetime.
    private static func moment(_ number: Double) -> Date? {
        // A later one would be three centuries ahead.
        StatedTime.moment(number).flatMap { $0.timeIntervalSince1970 < 1e10 ? $0 : nil }
    }

    /// Returns the token for a ``TokenSource``.
    ///
    /// - Parameters:
    ///   - user: The user, by a name of your own; see ``AccessToken/user``.
    ///   - now: The time at which it was issued; the current time by default.
    /// - Returns: The token.
    public func token(user: String? = nil, now: Date = Date()) -> AccessToken {
        guard let expiresIn else {
            return AccessToken(accessToken, expiresAt: expiresAt, refreshToken: refreshToken, user: user)
        }
        return AccessToken(accessToken, expiresIn: expiresIn, now: now, refreshToken: refreshToken, user: user)
    }
}

extension TokenResponse: MirroredByDescription {
    /// The lifetime of the token, without its value.
    public var description: String {
        "TokenResponse(\(Redaction.mask)\(expiresIn.map { ", expires in \($0)" } ?? ""))"
    }
}
