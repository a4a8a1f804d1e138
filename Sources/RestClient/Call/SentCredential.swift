// SPDX-License-Identifier: MIT

import HTTPTypes

/// The credential of a token source as a call sends it.
struct SentCredential: Sendable, Equatable {
    /// The header field that carries it, with its whole value.
    let field: HTTPField.Name
    let value: String

    /// The user of the credential, if the source names one.
    let user: String?

    /// The sign-in; all tokens that refreshes produce from one token belong to the same user.
    let session: UInt64

    /// Returns true if both are known to belong to the same user.
    func hasUser(of other: SentCredential) -> Bool {
        guard let user, let otherUser = other.user else {
            return session == other.session
        }
        return user == otherUser
    }
}
