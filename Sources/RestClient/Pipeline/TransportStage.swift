// SPDX-License-Identifier: MIT

/// Hands the request to the transport: the last stage.
struct TransportStage: Interceptor {
    let transport: any Transport
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let policy = request.call.policy
        var remaining: Duration?
        if let deadline = policy.deadline {
            let left = deadline - clock.now()
            guard left > .zero else {
                throw RestClientError.timeout(policy)
            }
            remaining = left
        }
        do {
            return try await transport.send(
                TransportRequest(
                    method: request.method,
                    url: request.url,
                    headers: request.headers,
                    body: request.body,
                    timeout: remaining,
                    responseLimit: policy.responseLimit
                )
            )
        } catch let error as RestClientError where error.code == .timeout {
            throw RestClientError.timeout(policy, underlying: error.underlying)
        }
    }
}
