// SPDX-License-Identifier: MIT

import Synchronization

extension CallRunner {
    /// Runs a call, and calls its node's handlers with what comes of it, whichever way the call was sent.
    func notifying<Model>(
        _ callbacks: RequestCallbacks<Model>,
        _ early: EarlyDelivery<Model>?,
        _ run: (@escaping EarlyDelivery<Model>) async throws -> (model: Model, details: ResponseDetails)
    ) async throws -> (model: Model, details: ResponseDetails) {
        let hasEarly = Flag()
        let deliver: EarlyDelivery<Model> = { model, details in
            hasEarly.raise()
            callbacks.call(early: Response(model: model, details: details))
            await early?(model, details)
        }
        func finish(_ result: Result<Response<Model>, any Error>) {
            if hasEarly.isRaised {
                callbacks.call(late: result)
            } else {
                callbacks.call(with: result)
            }
        }
        do {
            let result = try await run(deliver)
            finish(.success(Response(model: result.model, details: result.details)))
            return result
        } catch {
            finish(.failure(error))
            throw error
        }
    }

    /// Something that happened or not.
    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)

        var isRaised: Bool { value.load(ordering: .acquiring) }

        func raise() {
            value.store(true, ordering: .releasing)
        }
    }
}
