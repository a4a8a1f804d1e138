// SPDX-License-Identifier: MIT

import HTTPTypes

/// The names of a call's target.
struct CallIdentity: Sendable {
    let callIdentifier: String?
    let api: String?
    let server: ServerAlias?
    /// The path template as it was written; empty for a whole URL.
    let template: String
    let method: HTTPRequest.Method
    let url: String
    let isMuted: Bool
    let choice: ServerChoice
}
