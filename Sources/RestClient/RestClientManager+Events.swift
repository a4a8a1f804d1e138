// SPDX-License-Identifier: MIT

public import RestEssentials

extension RestClientManager {
    // MARK: - Sequences

    /// All events from now on, in order.
    ///
    /// Each use of the property begins a new sequence, which ends when it is released. Up to 1024 unread events are
    /// buffered. Beyond that the oldest are dropped, and ``ClientEvents/droppedCount`` counts them.
    ///
    /// ```swift
    /// for await event in manager.events where event.isTerminal { print(event) }
    /// ```
    public var events: ClientEvents {
        events(.all)
    }

    /// Returns the events from now on that pass a filter, in order.
    ///
    /// - Parameters:
    ///   - filter: The filter.
    ///   - buffering: The number of buffered events, and the rule for dropping events beyond it. Defaults to the newest
    ///     1024.
    /// - Returns: A sequence that ends when it is released.
    public func events(
        _ filter: EventFilter,
        buffering: ClientEvents.Buffering = .newest(1_024)
    ) -> ClientEvents {
        ClientEvents(hub: core.hub, filter: filter, buffering: buffering)
    }

    // MARK: - Observers

    /// Calls a handler for each event, until the returned observation is cancelled or released.
    ///
    /// The handler is called for one event at a time, in the order of the events, on the task that caused one of them.
    /// No lock is held, so it may call back into the manager. A slow handler delays the other observers and the call
    /// whose event it handles, but no other call. For slow work read ``events``; for user interface work observe on the
    /// main actor.
    ///
    /// - Parameters:
    ///   - filter: The filter that events must pass. Defaults to ``EventFilter/all``.
    ///   - handler: Receives the events.
    /// - Returns: The observation to keep.
    public func observe(
        _ filter: EventFilter = .all,
        _ handler: @escaping @Sendable (ClientEvent) -> Void
    ) -> ObservationToken {
        core.hub.observe(filter, handler: handler)
    }

    /// Calls a handler on the main actor for each event, until the returned observation is cancelled or released.
    ///
    /// The handler is called in the order of the events. No call waits for it: a call may have continued, and even
    /// ended, when its event arrives. After the observation is cancelled on the main actor, the handler is not called
    /// again.
    ///
    /// In every other respect it is like ``observe(_:_:)``.
    public func observe(
        _ filter: EventFilter = .all,
        onMainActor handler: @escaping @MainActor @Sendable (ClientEvent) -> Void
    ) -> ObservationToken {
        let delivery = MainActorDelivery(handler: handler)
        return core.hub.observe(filter, onCancel: delivery.cancel, handler: delivery.deliver)
    }

    // MARK: - Custom events

    /// Emits an event of your own.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the event.
    ///   - payload: The values of the event.
    public func emit(_ identifier: String, payload: [String: any JSONValueConvertible] = [:]) {
        core.hub.emit(ClientEvent(.custom(identifier: identifier, payload: payload.mapValues(\.jsonValue))))
    }
}

/// An event as a typed message of `NotificationCenter`.
///
/// ```swift
/// manager.notificationCenter = .default
/// let token = NotificationCenter.default.addObserver(of: manager, for: ClientEventMessage.self) { message in
///     print(message.event.kind)
/// }
/// ```
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
public struct ClientEventMessage: NotificationCenter.AsyncMessage {
    /// Messages are posted with the manager as their subject.
    public typealias Subject = RestClientManager

    /// The event.
    public let event: ClientEvent
}
