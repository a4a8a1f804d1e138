// SPDX-License-Identifier: MIT

import HTTPTypes

/// Lets a dummy answer in the server's place.
struct DummyStage: Interceptor {
    let registry: DummyRegistry
    let servers: Registry<ServerKey, Server>
    let hub: EventHub
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let (mode, responders) = registry.snapshot()
        guard mode != .off else {
            return try await next(request)
        }
        let call = request.call
        let match = DummyMatcher.match(
            method: request.method,
            url: request.url,
            prefix: call.policy.prefix,
            responders: responders,
            servers: servers.snapshot
        )
        guard let match else {
            hub.emit(.dummyUnmatched, call)
            guard mode == .strict else {
                return try await next(request)
            }
            let hint = DummyMatcher.nearMisses(
                method: request.method,
                url: request.url,
                prefix: call.policy.prefix,
                responders: responders
            )
            throw RestClientError(
                .dummyNotFound,
                "dummies are strict and none answers \(request.method.rawValue) \(Redaction.url(request.url)); \(hint)"
            )
        }
        match.responder.countCall()
        hub.emit(.dummyMatched(match.responder.id), call)
        let response = try await clock.limit(to: call.policy) {
            if match.responder.delay > .zero {
                try await clock.sleep(for: match.responder.delay)
            }
            return try await match.responder.respond(Self.dummyRequest(request, parameters: match.parameters))
        }
        guard response.body.count <= call.policy.responseLimit else {
            throw TransportFailure.bodyOverLimit(call.policy.responseLimit)
        }
        return RawResponse(
            status: response.status,
            headers: response.headers,
            body: response.body,
            source: .dummy
        )
    }

    private static func dummyRequest(_ request: OutgoingRequest, parameters: [String: String]) -> DummyRequest {
        let query = URLReference(request.url).query ?? ""
        let items = query.split(separator: "&")
            .map { item in
                let name = item.prefix { $0 != "=" }
                return (
                    name: PercentEncoding.decode(name), value: PercentEncoding.decode(item.dropFirst(name.count + 1))
                )
            }
        return DummyRequest(
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: request.body,
            parameters: parameters,
            query: items
        )
    }
}
