// SPDX-License-Identifier: MIT

import Synchronization

extension CallRunner {
    /// Receives the failure of a call, and the error that handlers replaced.
    typealias FailureDelivery = (AttemptFailure, _ cause: RestClientError?) -> Void

    /// Runs a call, and calls its node's handlers with the result, regardless of how the call was sent.
    func notifying<Model>(
        _ callbacks: RequestCallbacks<Model>,
        _ early: EarlyDelivery<Model>?,
        _ failed: FailureDelivery?,
        _ run: (
            @escaping EarlyDelivery<Model>, @escaping FailureDelivery, ProgressSinks.Handler?
        ) async throws -> (model: Model, details: ResponseDetails)
    ) async throws -> (model: Model, details: ResponseDetails) {
        let hasEarly = Flag()
        let deliver: EarlyDelivery<Model> = { model, details in
            hasEarly.raise()
            if let handle = callbacks.onCacheSuccess {
                await CallbackPlace.call({ handle(Response(model: model, details: details)) }, at: callbacks.place)
            }
            await early?(model, details)
        }
        let progress = callbacks.progress()
        func finish(_ result: Result<Response<Model>, any Error>, _ cause: RestClientError?) async {
            progress?.close()
            let handler = callbacks.handler(of: result, failureClass: cause?.failureClass, hasEarly: hasEarly.isRaised)
            await CallbackPlace.call(handler, at: callbacks.place)
        }
        await CallbackPlace.call(callbacks.onStart, at: callbacks.place)
        var cause: RestClientError?
        do {
            var report: ProgressSinks.Handler?
            if let progress {
                report = { progress.send($0, for: $0.direction) }
            }
            let note: FailureDelivery = { failure, error in
                cause = error
                failed?(failure, error)
            }
            let result = try await run(deliver, note, report)
            await finish(.success(Response(model: result.model, details: result.details)), nil)
            return result
        } catch {
            await finish(.failure(error), cause)
            throw error
        }
    }

    /// A flag that can be set once.
    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)

        var isRaised: Bool { value.load(ordering: .acquiring) }

        func raise() {
            value.store(true, ordering: .releasing)
        }
    }
}
