// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// A redirect that was followed on the way to a response.
struct RedirectHop: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    /// The time at which it arrived.
    let time: Date
}
