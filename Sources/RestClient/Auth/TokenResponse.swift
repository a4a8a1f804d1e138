// SPDX-License-Identifier: MIT

public import RestEssentials

/// The response of a token server to a login or a refresh (RFC 6749, section 5.1); ``token(user:now:)`` converts it to
/// a token.
///
/// Descriptions do not show its secrets.
public struct TokenResponse: Sendable, Hashable, Decodable {
    /// The token as it is sent.
    let accessToken: String

    /// The type of the token, as in `Bearer`; some servers omit it.
    public let tokenType: String?

    /// The lifetime of the token; `nil` if the server does not send it.
    let expiresIn: Duration?

    /// The refresh token, if there is one.
    let refreshToken: String?

    /// The scope of the token, if it differs from the requested one.
    public let scope: String?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case scope
    }

    /// Decodes the members defined by RFC 6749; the lifetime may be a number in a string, as some servers send it.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if there is no token, or a member has another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try container.decode(String.self, forKey: .accessToken)
        tokenType = try container.decodeIfPresent(String.self, forKey: .tokenType)
        refreshToken = try container.decodeIfPresent(String.self, forKey: .refreshToken)
        scope = try container.decodeIfPresent(String.self, forKey: .scope)
        expiresIn = try Self.lifetime(in: container)
    }

    private static func lifetime(in container: KeyedDecodingContainer<CodingKeys>) throws -> Duration? {
        let seconds: Double?
        do {
            seconds = try container.decodeIfPresent(Double.self, forKey: .expiresIn)
        } catch {
            guard let number = try? Double(container.decode(String.self, forKey: .expiresIn)) else {
                throw error
            }
            seconds = number
        }
        // Limited to a century, so that no number traps.
        return seconds.flatMap { $0.isFinite ? .seconds(min(max(0, $0), 3_155_760_000)) : nil }
    }

    /// Returns the token for a ``TokenSource``.
    ///
    /// - Parameters:
    ///   - user: The user, by a name of your own; see ``AccessToken/user``.
    ///   - now: The time at which it was issued; the current time by default.
    /// - Returns: The token.
    public func token(user: String? = nil, now: Date = Date()) -> AccessToken {
        guard let expiresIn else {
            return AccessToken(accessToken, refreshToken: refreshToken, user: user)
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
