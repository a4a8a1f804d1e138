// SPDX-License-Identifier: MIT

/// The registration of an observer.
///
/// It ends when it is cancelled or released.
public final class EventObservation: Sendable {
    private let observer: EventHub.Observer
    private let remove: @Sendable () -> Void

    /// Begins an observation.
    ///
    /// - Parameters:
    ///   - hub: The hub, which is not kept alive.
    ///   - filter: The filter that events must pass.
    ///   - onEnd: Called if the hub ends before the observation does.
    ///   - onCancel: Called when the observation is cancelled.
    ///   - handler: Receives the events; returns `false` to end the observation.
    init(
        hub: EventHub,
        filter: EventFilter = .all,
        onEnd: @escaping @Sendable () -> Void = {},
        onCancel: @escaping @Sendable () -> Void = {},
        handler: @escaping EventHub.Handler
    ) {
        let observer = hub.add(filter, onEnd: onEnd, handler: handler)
        self.observer = observer
        remove = { [weak hub] in
            hub?.remove(observer)
            onCancel()
        }
    }

    deinit {
        cancel()
    }

    /// Ends the observation.
    ///
    /// Calling it again does nothing.
    ///
    /// The observer receives no event from then on. A call that is under way on another task may still finish.
    public func cancel() {
        observer.deactivate()
        remove()
    }
}
