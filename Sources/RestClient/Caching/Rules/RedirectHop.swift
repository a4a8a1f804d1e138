// SPDX-License-Identifier: MIT

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A redirect that was followed on the way to an answer.
struct RedirectHop: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    /// When it was received.
    let time: Date
}
