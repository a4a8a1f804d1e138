// SPDX-License-Identifier: MIT

#if canImport(Combine) || OpenCombine

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
public import RestClient
public import SharedStore

extension RequestNode {
    /// Returns a publisher that sends the call and publishes its model.
    ///
    /// Each subscription sends a new call, as soon as it demands a value, and ends once: after one value, or
    /// with the error that ``/RestClient/RequestNode/send()`` throws. Cancelling the subscription cancels its call,
    /// which then publishes nothing. Values arrive on no queue in particular; use `receive(on:)` to choose one.
    ///
    /// ```swift
    /// manager.request(.orders).publisher()
    ///     .receive(on: DispatchQueue.main)
    ///     .sink { completion in … } receiveValue: { orders in … }
    ///     .store(in: &cancellables)
    /// ```
    ///
    /// - Returns: The publisher.
    public func publisher() -> AnyPublisher<Model, any Error> {
        ColdPublisher<Model, any Error> {
            { subscription in _ = await subscription.send(try await send()) }
        }
        .eraseToAnyPublisher()
    }

    /// Returns a publisher that sends the call and publishes its responses, with their status, source and time.
    ///
    /// It publishes what ``/RestClient/RequestNode/responses()`` returns: with
    /// ``/RestClient/CachePolicy/thenNetwork`` a stored response and then the server's, one response otherwise. It is
    /// subscribed to, cancelled and ended like ``publisher()``.
    ///
    /// - Returns: The publisher.
    public func responsePublisher() -> AnyPublisher<Response<Model>, any Error> {
        ColdPublisher(of: { responses() }).eraseToAnyPublisher()
    }
}

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
        ColdPublisher(of: { self.events(filter, buffering: buffering) }).eraseToAnyPublisher()
    }
}

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
        ColdPublisher(of: { self.changes(for: key, options: options) }).eraseToAnyPublisher()
    }
}

#endif
