// SPDX-License-Identifier: MIT

/// The response to a request for a token.
struct IssuedToken: Codable, Sendable {
    let token: String
    /// In seconds.
    let lifetime: Int
}
