// SPDX-License-Identifier: MIT

import RestClient
import Synchronization

/// Notes what the file of a download does not tell: the last status, and how often requests went on the wire.
final class ResponseNotes: Interceptor {
    private struct Notes {
        var status: Int?
        var attempts = 0
    }

    private let notes = Mutex(Notes())

    var status: Int? { notes.withLock { $0.status } }
    var attempts: Int { notes.withLock { $0.attempts } }

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        notes.withLock { $0.attempts += 1 }
        let response = try await next(request)
        notes.withLock { $0.status = response.status.code }
        return response
    }
}
