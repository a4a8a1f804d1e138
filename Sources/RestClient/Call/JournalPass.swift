// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

/// Allows an unsafe request of a run with a journal to be sent once its record is stored.
final class JournalPass: Sendable {
    private let work: UnsafeWork

    private static let keyField = HTTPField.Name("Idempotency-Key")

    init(_ work: UnsafeWork) {
        self.work = work
    }

    /// Sets the idempotency key: that of an earlier run, otherwise the request's own, otherwise a new one.
    func mark(_ headers: inout HTTPFields, _ providers: inout [HeaderProvider]) {
        guard let field = Self.keyField else {
            return
        }
        // A provider would return another key for each attempt.
        providers.removeAll { $0.name == field }
        let key = work.key
        if key.isForced || headers[field] == nil {
            headers[field] = key.value
        }
    }

    /// Counts a request that succeeded as long as another attempt of its node would send it again.
    func hold(_ effect: UnsafeEffects.Work) {
        work.hold(effect)
    }

    /// Sends the request after its record has been stored.
    func send(
        _ request: OutgoingRequest,
        _ send: (OutgoingRequest) async throws -> RawResponse
    ) async throws -> RawResponse {
        try await work.perform(
            key: Self.keyField.flatMap { request.headers[$0] },
            hadNoEffect: request.call.hadNoEffect
        ) {
            try await send(request)
        }
    }
}

extension CallOptionKey<JournalPass> {
    /// The pass of the request in a run with a journal, used if the request is unsafe.
    static var journalPass: Self { Self("journal pass", isInternal: true) { _ in "yes" } }
}
