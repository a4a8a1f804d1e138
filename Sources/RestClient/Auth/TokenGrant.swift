// SPDX-License-Identifier: MIT

/// A token as it is granted to one call.
struct TokenGrant: Sendable, Equatable {
    let token: AccessToken

    /// The sign-in; all tokens that refreshes produce from one token belong to the same user.
    var session: UInt64 = 0

    /// True once a server has accepted the token.
    var isAccepted = false

    /// True if the call is the one that reports the refresh which issued the token.
    var tellsOfRefresh = false

    /// Returns the grant for a call that reports the refresh, or one that does not.
    func telling(_ tells: Bool) -> TokenGrant {
        var grant = self
        grant.tellsOfRefresh = tells
        return grant
    }
}
