// SPDX-License-Identifier: MIT

/// The user as whom a call was sent, and the token source that named the user.
struct SentUser: Sendable {
    let source: ObjectIdentifier
    let name: String
}
