// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// A redirect that was followed on the way to a response.
struct RedirectHop: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let time: Date
    /// True if the server had acted on an unsafe request, because it redirects with a GET to what came of it.
    ///
    /// The responses that follow are about that GET.
    var endsUnsafeRequest = false
    /// True if it led from `https` to `http`.
    var leavesEncryption = false
}
