// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

/// The names of a call and of its target.
struct CallIdentity: Sendable {
    var id: CallID
    var groupID: GroupID?
    let callIdentifier: String?
    let api: String?
    let server: ServerAlias?
    /// The path template as it was written; empty for a whole URL.
    let template: String
    let method: HTTPRequest.Method
    let url: String
    let isMuted: Bool
}
