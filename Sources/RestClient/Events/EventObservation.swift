// SPDX-License-Identifier: MIT

/// Keeps an observer registered: the observation ends when it is cancelled or released.
public final class EventObservation: Sendable {
    private let hub: EventHub
    private let observer: EventHub.Observer

    init(hub: EventHub, handler: @escaping EventHub.Handler) {
        self.hub = hub
        self.observer = hub.add(handler)
    }

    deinit {
        hub.remove(observer)
    }

    /// Ends the observation; calling it again does nothing.
    ///
    /// The observer is given no event from then on. One that another task is just handing over may still be under way.
    public func cancel() {
        hub.remove(observer)
    }
}
