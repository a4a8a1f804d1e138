// SPDX-License-Identifier: MIT

/// Keeps an observer registered: the observation ends when it is cancelled or, unless it has an owner, released.
public final class EventObservation: Sendable {
    private let observer: EventHub.Observer
    private let remove: @Sendable () -> Void
    private let endsOnRelease: Bool

    /// Begins an observation.
    ///
    /// - Parameters:
    ///   - hub: Whose events; it is not kept alive.
    ///   - filter: Which of them.
    ///   - endsOnRelease: Whether releasing the observation ends it.
    ///   - onEnd: What to do when the hub ends before the observation does.
    ///   - onCancel: What else to do when the observation is ended from here.
    ///   - handler: What to do with an event; `false` ends the observation.
    init(
        hub: EventHub,
        filter: EventFilter = .all,
        endsOnRelease: Bool = true,
        onEnd: @escaping @Sendable () -> Void = {},
        onCancel: @escaping @Sendable () -> Void = {},
        handler: @escaping EventHub.Handler
    ) {
        let observer = hub.add(filter, onEnd: onEnd, handler: handler)
        self.observer = observer
        self.endsOnRelease = endsOnRelease
        remove = { [weak hub] in
            hub?.remove(observer)
            onCancel()
        }
    }

    deinit {
        if endsOnRelease {
            cancel()
        }
    }

    /// Ends the observation; calling it again does nothing.
    ///
    /// The observer is given no event from then on. One that another task is just handing over may still be under way.
    public func cancel() {
        observer.deactivate()
        remove()
    }
}
