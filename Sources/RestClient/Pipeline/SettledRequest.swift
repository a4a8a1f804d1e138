// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// A request resolved from node, registries and surroundings: the parts that equal calls share, kept by reference.
final class SettledRequest: Sendable {
    let method: HTTPRequest.Method
    let url: String
    let headers: HTTPFields
    let body: RequestBody?
    let coding: ResolvedDogma
    /// The media type that the dogma accepts.
    let acceptedContentType: String?
    let call: SettledCall
    /// The terms of decoding responses, made once for all equal calls.
    let decoding: DecodingTerms

    init(
        method: HTTPRequest.Method,
        url: String,
        headers: HTTPFields,
        body: RequestBody?,
        coding: ResolvedDogma,
        acceptedContentType: String?,
        call: SettledCall
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.coding = coding
        self.acceptedContentType = acceptedContentType
        self.call = call
        decoding = DecodingTerms(
            dogma: coding.dogma,
            request: coding.request.with(
                url: url,
                headers: headers,
                body: body?.bytes,
                secretFields: call.policy.secretFields
            ),
            acceptedStatuses: call.policy.acceptedStatuses
        )
    }

    /// Returns the request for a new call.
    func resolved(_ beginning: CallBeginning) -> ResolvedRequest {
        ResolvedRequest(settled: self, call: CallContext(call, beginning.ending(after: call.policy.timeout)))
    }
}
