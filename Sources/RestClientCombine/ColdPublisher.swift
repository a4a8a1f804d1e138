// SPDX-License-Identifier: MIT

#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A publisher that starts its work once for each subscription.
struct ColdPublisher<Output: Sendable, Failure: Error>: Publisher {
    typealias Work = DemandedSubscription<Output, Failure>.Work

    /// Prepares the work of a subscription when it is made, before anything is demanded.
    private let prepare: @Sendable () -> Work

    init(_ prepare: @escaping @Sendable () -> Work) {
        self.prepare = prepare
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        DemandedSubscription(AnySubscriber(subscriber), prepare()).subscribe()
    }
}

#endif
