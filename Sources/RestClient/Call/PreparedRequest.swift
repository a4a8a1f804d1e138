// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// A request made from a node, the registries and the surroundings: what equal calls share, kept by reference, because
/// most calls of a program are repeated.
final class PreparedRequest: Sendable {
    /// The names of the call's target.
    let identity: Identity
    let policy: CallPolicy
    let headers: HTTPFields
    let body: RequestBody?
    let coding: ResolvedDogma
    /// The media type that the dogma accepts.
    let acceptedContentType: String?
    let decoding: DecodingTerms

    init(
        _ identity: Identity,
        policy: CallPolicy,
        headers: HTTPFields,
        body: RequestBody?,
        coding: ResolvedDogma,
        acceptedContentType: String?
    ) {
        self.identity = identity
        self.policy = policy
        self.headers = headers
        self.body = body
        self.coding = coding
        self.acceptedContentType = acceptedContentType
        decoding = DecodingTerms(
            dogma: coding.dogma,
            request: coding.request.with(
                url: identity.url,
                headers: headers,
                body: body?.bytes,
                secretFields: policy.secretFields
            ),
            acceptedStatuses: policy.acceptedStatuses
        )
    }

    func with(policy: CallPolicy) -> PreparedRequest {
        PreparedRequest(
            identity,
            policy: policy,
            headers: headers,
            body: body,
            coding: coding,
            acceptedContentType: acceptedContentType
        )
    }
}

extension CallContext {
    /// The request, as the first stage receives it.
    var request: OutgoingRequest {
        get throws {
            let request = OutgoingRequest(
                method: method,
                url: url,
                headers: prepared.headers,
                body: prepared.body,
                call: self
            )
            return method.isSafe ? request : try request.withIdempotencyKey()
        }
    }

    func decoder<Model>(_ decoding: ResponseDecoding<Model>) -> ModelDecoder<Model> {
        ModelDecoder(decoding: decoding, terms: prepared.decoding)
    }
}

extension PreparedRequest {
    /// The names of a call's target.
    struct Identity: Sendable {
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
}
