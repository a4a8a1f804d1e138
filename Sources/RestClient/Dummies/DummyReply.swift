// SPDX-License-Identifier: MIT

import RestEssentials

struct DummyReply: Sendable {
    let responder: DummyResponder

    /// The number of the dummy's call, from 1.
    let number: Int

    let request: DummyRequest

    /// True if the response needs neither time nor user code that may suspend.
    var isImmediate: Bool {
        switch responder.dummy.response(toCall: number) {
        case .closure: false
        case .model: delay == .zero
        case .fixed(let response): delay == .zero && response.chunks == nil && response.fault != .noResponse
        }
    }

    var delay: Duration { responder.dummy.delay.duration(ofCall: number) }

    /// Returns the response, after the delay; user code that ignores cancellation is not awaited.
    func response(pause: @Sendable (Duration) async throws -> Void) async throws -> DummyResponse {
        if delay > .zero {
            try await pause(delay)
        }
        let response = try await respond()
        if let defect = response.defect {
            throw defect
        }
        return response
    }

    private func respond() async throws -> DummyResponse {
        do {
            switch responder.dummy.response(toCall: number) {
            case .fixed(let response): return response
            case .model(let encode): return try encode(request)
            case .closure(let respond): return try await AbandonableWork.run { [request] in try await respond(request) }
            }
        } catch let error as RestClientError {
            throw error
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            let isCoding = error is DecodingError || error is EncodingError
            let reason = isCoding ? DecodingReason.describe(error) : "it threw"
            throw RestClientError(
                .dummyFailed,
                "the dummy '\(responder)' gave no response to its call number \(number): \(reason)",
                underlying: error
            )
        }
    }
}
