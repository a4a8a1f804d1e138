// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import Synchronization

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// Keeps what a subscriber receives, and lets a test wait for it.
///
/// `@unchecked Sendable`: the subscription is set before anything is received, and then only read.
final class SubscriberProbe<Input: Sendable, Failure: Error>: @unchecked Sendable {
    private let demand: Subscribers.Demand
    private let describe: @Sendable (Input) -> String
    private let log = Recorder<String>()
    private let failure = Mutex<(any Error)?>(nil)
    private var subscription: (any Subscription)?

    init(demand: Subscribers.Demand = .none, _ describe: @escaping @Sendable (Input) -> String = { "\($0)" }) {
        self.demand = demand
        self.describe = describe
    }

    /// The values, and `finished` or `failed`.
    var received: [String] { log.elements }

    var error: (any Error)? { failure.withLock { $0 } }

    var subscriber: AnySubscriber<Input, Failure> {
        AnySubscriber(
            receiveSubscription: { subscription in
                self.subscription = subscription
                subscription.request(self.demand)
            },
            receiveValue: { value in
                self.log.record(self.describe(value))
                return .none
            },
            receiveCompletion: { completion in
                if case .failure(let error) = completion {
                    self.failure.withLock { $0 = error }
                    self.log.record("failed")
                } else {
                    self.log.record("finished")
                }
            }
        )
    }

    func request(_ demand: Subscribers.Demand) {
        subscription?.request(demand)
    }

    func cancel() {
        subscription?.cancel()
    }

    func wait(for count: Int) async throws {
        try await log.waitForCount(count)
    }

    func waitForEnd() async throws {
        try await log.wait { $0.last == "finished" || $0.last == "failed" }
    }
}
