// SPDX-License-Identifier: MIT

import HTTPTypes

/// The credential of a token source as a call sends it.
struct SentCredential: Sendable, Equatable {
    /// The header field that carries it, with its whole value.
    let field: HTTPField.Name
    let value: String

    /// The user whom it stands for, if the source says so.
    let user: String?

    /// The sign-in that it goes back to: everything that refreshes make of one token is of the same user.
    let session: UInt64

    /// A Boolean value that is true if both are known to be the same user's.
    func hasUser(of other: SentCredential) -> Bool {
        guard let user, let otherUser = other.user else {
            return session == other.session
        }
        return user == otherUser
    }
}
