// SPDX-License-Identifier: MIT

import Synchronization

extension CallRunner {
    /// Runs a call, and calls its node's handlers with the result, regardless of how the call was sent.
    func notifying<Model>(
        _ callbacks: RequestCallbacks<Model>,
        _ early: EarlyDelivery<Model>?,
        _ run: (
            @escaping EarlyDelivery<Model>, ProgressSinks.Handler?
        ) async throws(CallFailure) -> (model: Model, details: ResponseDetails)
    ) async throws(CallFailure) -> (model: Model, details: ResponseDetails) {
        let hasEarly = Flag()
        let deliver: EarlyDelivery<Model> = { model, details in
            hasEarly.raise()
            if let handle = callbacks.onCacheSuccess {
                await CallbackPlace.call({ handle(Response(model: model, details: details)) }, at: callbacks.place)
            }
            await early?(model, details)
        }
        let progress = callbacks.progress()
        func finish(_ result: Result<Response<Model>, any Error>, _ failureClass: FailureClass?) async {
            progress?.close()
            let handler = callbacks.handler(of: result, failureClass: failureClass, hasEarly: hasEarly.isRaised)
            await CallbackPlace.call(handler, at: callbacks.place)
        }
        await CallbackPlace.call(callbacks.onStart, at: callbacks.place)
        do throws(CallFailure) {
            var report: ProgressSinks.Handler?
            if let progress {
                report = { progress.send($0, for: $0.direction) }
            }
            let result = try await run(deliver, report)
            await finish(.success(Response(model: result.model, details: result.details)), nil)
            return result
        } catch {
            await finish(.failure(error.error), error.failureClass)
            throw error
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)

        var isRaised: Bool { value.load(ordering: .acquiring) }

        func raise() {
            value.store(true, ordering: .releasing)
        }
    }
}
