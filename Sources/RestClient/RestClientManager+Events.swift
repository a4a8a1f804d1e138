// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// What happens from now on, in order.
    ///
    /// Each use of the property begins a stream of its own, which ends when it is released. Up to 1024 events wait for a
    /// slow reader; beyond that the oldest are dropped.
    ///
    /// ```swift
    /// for await event in manager.events where event.isTerminal { print(event) }
    /// ```
    public var events: AsyncStream<ClientEvent> {
        events(bufferingNewest: 1_024)
    }

    /// What happens from now on, in order, with a buffer of one's own size.
    ///
    /// - Parameter limit: How many events wait for a slow reader; beyond that the oldest are dropped.
    /// - Returns: A stream that ends when it is released.
    public func events(bufferingNewest limit: Int) -> AsyncStream<ClientEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ClientEvent.self,
            bufferingPolicy: .bufferingNewest(max(1, limit))
        )
        let observation = EventObservation(hub: core.hub) { continuation.yield($0) }
        continuation.onTermination = { _ in observation.cancel() }
        return stream
    }

    /// Calls a handler for everything that happens, until the returned observation is cancelled or released.
    ///
    /// Handlers are called one event at a time, in the order of the events, on the task that caused one of them, with no
    /// lock held: a handler may call back into the manager. One that takes long delays the observers, not the calls.
    ///
    /// - Parameter handler: What to do with an event.
    /// - Returns: What keeps the observation alive.
    public func observe(_ handler: @escaping @Sendable (ClientEvent) -> Void) -> EventObservation {
        EventObservation(hub: core.hub, handler: handler)
    }

    /// Tells the observers of an event of your own.
    ///
    /// - Parameters:
    ///   - identifier: What the event is.
    ///   - payload: What comes with it.
    public func emit(_ identifier: String, payload: [String: JSONValue] = [:]) {
        core.hub.emit(ClientEvent(.custom(identifier: identifier, payload: payload)))
    }
}
