// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// A request resolved from node, registries and surroundings: the parts that equal calls share.
struct SettledRequest: Sendable {
    let method: HTTPRequest.Method
    let url: String
    let headers: HTTPFields
    let body: RequestBody?
    let coding: ResolvedDogma
    /// The media type that the dogma accepts.
    let acceptedContentType: String?
    let call: SettledCall

    /// Returns the request for a new call.
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
