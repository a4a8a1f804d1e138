// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// A response of the server, with the times of its request and of its arrival.
struct FetchedResponse: Sendable {
    var response: RawResponse
    /// The fields of the response, read from it once.
    let headers: HTTPFields
    let requestTime: Date
    let responseTime: Date
}
