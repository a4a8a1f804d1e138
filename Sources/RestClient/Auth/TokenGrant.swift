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
