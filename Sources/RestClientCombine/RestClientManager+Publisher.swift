// SPDX-License-Identifier: MIT

#if canImport(Combine) || OpenCombine

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
public import RestClient

extension RestClientManager {
    /// Returns a publisher of the events that pass a filter, in order.
    ///
    /// A subscription receives the events from the time at which it was made, and ends with the manager. Events that it
    /// has not demanded yet are buffered.
    ///
    /// - Parameters:
    ///   - filter: The filter. Defaults to all events.
    ///   - buffering: The number of buffered events, and the rule for dropping events beyond it. Defaults to the newest
    ///     1024.
    /// - Returns: The publisher.
    public func eventPublisher(
        _ filter: EventFilter = .all,
        buffering: ClientEvents.Buffering = .newest(1_024)
    ) -> AnyPublisher<ClientEvent, Never> {
        ColdPublisher<ClientEvent, Never> {
            let events = self.events(filter, buffering: buffering)
            return { subscription in
                for await event in events {
                    guard await subscription.send(event) else {
                        return
                    }
                }
            }
        }
        .eraseToAnyPublisher()
    }
}

#endif
