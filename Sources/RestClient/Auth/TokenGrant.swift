// SPDX-License-Identifier: MIT

struct TokenGrant: Sendable, Equatable {
    let token: AccessToken

    /// The sign-in; all tokens that refreshes produce from one token belong to the same user.
    var session: UInt64 = 0

    var isAccepted = false

    /// True if the call is the one that reports the refresh which issued the token.
    var tellsOfRefresh = false

    func telling(_ tells: Bool) -> TokenGrant {
        var grant = self
        grant.tellsOfRefresh = tells
        return grant
    }
}

/// The ways in which a source gets its next token, and gives up its last one.
struct TokenRenewal: Sendable {
    let renew: @Sendable (AccessToken?) async throws -> RenewedToken

    /// Tells the server that a token is not used any more; `nil` if the source knows no server.
    var revoke: (@Sendable (AccessToken?) async throws -> Void)?
}

struct RenewedToken: Sendable {
    let token: AccessToken

    /// True if a person has logged in, maybe another one: nothing of the previous token holds for this one.
    var isOfLogin = false

    func succeeding(_ previous: AccessToken?) -> AccessToken { isOfLogin ? token : token.succeeding(previous) }
}
