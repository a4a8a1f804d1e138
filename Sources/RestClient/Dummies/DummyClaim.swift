// SPDX-License-Identifier: MIT

import RestEssentials

/// A call that a dummy was chosen for.
struct DummyClaim: Sendable {
    let responder: DummyResponder

    /// The number of the dummy's call, from 1.
    let number: Int

    /// The request, with the values of the dummy's placeholders.
    let request: DummyRequest

    /// Whether the response needs neither time nor code of the user.
    var isImmediate: Bool {
        guard case .response(let response) = responder.dummy.answer(toCall: number) else {
            return false
        }
        return delay == .zero && response.pace == nil && response.fault != .noAnswer
    }

    /// How long this response is held back.
    var delay: Duration { responder.dummy.delay.duration(ofCall: number) }

    /// The response, after the delay.
    ///
    /// - Throws: ``RestClientError``, or `CancellationError` when the task is cancelled; it is not waited for code of the
    ///   user that does not heed that.
    func response(pause: @Sendable (Duration) async throws -> Void) async throws -> DummyResponse {
        if delay > .zero {
            try await pause(delay)
        }
        let response: DummyResponse
        switch responder.dummy.answer(toCall: number) {
        case .response(let fixed): response = fixed
        case .closure(let respond): response = try await run(respond)
        }
        if let defect = response.defect {
            throw defect
        }
        return response
    }

    private func run(
        _ respond: @escaping @Sendable (DummyRequest) async throws -> DummyResponse
    ) async throws -> DummyResponse {
        do {
            return try await AbandonableWork.run { [request] in try await respond(request) }
        } catch let error as RestClientError {
            throw error
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            let reason = error is DecodingError ? DecodingReason.describe(error) : "it threw"
            throw RestClientError(
                .dummyFailed,
                "the dummy '\(responder)' gave no response to its call number \(number): \(reason)",
                underlying: error
            )
        }
    }
}
