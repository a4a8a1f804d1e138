// SPDX-License-Identifier: MIT

#if canImport(Combine) || OpenCombine

#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
public import RestClient

extension RequestNode {
    /// Returns a publisher that sends the call and publishes its model.
    ///
    /// Each subscription sends a call of its own, as soon as it demands a value, and ends once: after one value, or
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
        ColdPublisher<Response<Model>, any Error> {
            { subscription in
                for try await response in responses() {
                    guard await subscription.send(response) else {
                        return
                    }
                }
            }
        }
        .eraseToAnyPublisher()
    }
}

#endif
