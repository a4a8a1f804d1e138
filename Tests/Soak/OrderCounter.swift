// SPDX-License-Identifier: MIT

import RestClient

/// Counts the requests of each order that are sent, and those that have a response.
struct OrderCounter: Interceptor {
    let tally: SoakTally

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let order = request.url.split(separator: "/").last.map(String.init) ?? ""
        tally.note { $0.sent[order, default: 0] += 1 }
        let response = try await next(request)
        tally.note { $0.responded[order, default: 0] += 1 }
        return response
    }
}
