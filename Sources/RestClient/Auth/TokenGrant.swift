// SPDX-License-Identifier: MIT

/// A token as one call is given it.
struct TokenGrant: Sendable, Equatable {
    let token: AccessToken

    /// Which setting of the token it goes back to: all that refreshes make of one is of the same user.
    var session: UInt64 = 0

    /// Whether the call is the one that tells of the refresh which brought the token.
    var tellsOfRefresh = false

    /// The same for a call that tells of the refresh, or one that does not.
    func telling(_ tells: Bool) -> TokenGrant {
        TokenGrant(token: token, session: session, tellsOfRefresh: tells)
    }
}
