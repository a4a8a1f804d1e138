// SPDX-License-Identifier: MIT

#if canImport(Combine) || OpenCombine

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
public import SharedStore

extension SharedData {
    /// Returns a publisher of the changes of a value.
    ///
    /// A subscription receives the changes from the time at which it was made, those of other processes included, and
    /// ends when the store is released. Changes that it has not demanded yet are merged beyond 256: the last one is
    /// never lost.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - options: Options to begin with the current value and to skip equal values. Defaults to neither.
    /// - Returns: The publisher.
    public func publisher<Value>(
        for key: SharedKey<Value>,
        options: Set<SharedObservationOption> = []
    ) -> AnyPublisher<SharedChange<Value>, Never> {
        ColdPublisher<SharedChange<Value>, Never> {
            let changes = self.changes(for: key, options: options)
            return { subscription in
                for await change in changes {
                    guard await subscription.send(change) else {
                        return
                    }
                }
            }
        }
        .eraseToAnyPublisher()
    }
}

#endif
