// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// A request as node, registries and surroundings describe it: the parts that equal calls have in common.
struct SettledRequest: Sendable {
    let method: HTTPRequest.Method
    let url: String
    let headers: HTTPFields
    let body: RequestBody?
    let coding: ResolvedDogma
    /// The media type that the dogma asked for.
    let acceptedContentType: String?
    let call: SettledCall

    /// Returns the request of a call that begins.
    func resolved(_ beginning: CallBeginning) -> ResolvedRequest {
        let request = OutgoingRequest(
            method: method,
            url: url,
            headers: headers,
            body: body,
            call: CallContext(call, beginning.ending(after: call.policy.timeout))
        )
        return ResolvedRequest(request: request, coding: coding)
    }
}
