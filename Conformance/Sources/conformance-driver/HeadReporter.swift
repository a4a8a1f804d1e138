// SPDX-License-Identifier: MIT

import RestClient
import Synchronization

/// Writes the head of a streamed response as soon as it is there, before its first chunk.
///
/// A stream of events that reconnects has many responses; the first one counts.
final class HeadReporter: Interceptor {
    private let id: Int
    private let tellsAttempts: Bool
    private let isWritten = Atomic<Bool>(false)

    init(id: Int, tellsAttempts: Bool) {
        self.id = id
        self.tellsAttempts = tellsAttempts
    }

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let response = try await next(request)
        if !isWritten.exchange(true, ordering: .acquiringAndReleasing) {
            let attempts = tellsAttempts ? request.call.attempts : nil
            await Output.standard.write(.head(to: id, response, attempts: attempts))
        }
        return response
    }
}
