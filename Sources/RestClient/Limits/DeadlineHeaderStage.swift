// SPDX-License-Identifier: MIT

import JobGraphs

/// Tells the server how long the call will wait; only calls with that option pass it.
struct DeadlineHeaderStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        guard let name = request.call.options[.deadlineField], let deadline = request.call.deadline else {
            return try await next(request)
        }
        var request = request
        request.headers[name] = Self.text(deadline - clock.now())
        return try await next(request)
    }

    /// Returns the time in seconds, rounded down to milliseconds, so that the server never works too long.
    static func text(_ remaining: Duration) -> String {
        let milliseconds = Int64(max(0, min(remaining / .milliseconds(1), 1e15)).rounded(.down))
        let fraction = String(milliseconds % 1_000)
        return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
