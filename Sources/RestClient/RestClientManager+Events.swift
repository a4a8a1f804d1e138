// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// What happens from now on, in order.
    ///
    /// Each use of the property begins a sequence of its own, which ends when it is released. Up to 1024 events wait for a
    /// slow reader; beyond that the oldest are dropped, and ``ClientEvents/droppedCount`` counts them.
    ///
    /// ```swift
    /// for await event in manager.events where event.isTerminal { print(event) }
    /// ```
    public var events: ClientEvents {
        events(.all)
    }

    /// What happens from now on, in order, as far as a filter lets it pass.
    ///
    /// - Parameters:
    ///   - filter: Which events; all by default.
    ///   - buffering: How many events wait for a slow reader, and which are dropped beyond that; the newest 1024 wait by
    ///     default.
    /// - Returns: A sequence that ends when it is released.
    public func events(
        _ filter: EventFilter,
        buffering: ClientEvents.Buffering = .newest(1_024)
    ) -> ClientEvents {
        ClientEvents(hub: core.hub, filter: filter, buffering: buffering)
    }

    /// Calls a handler for everything that happens, until the returned observation is cancelled or released.
    ///
    /// It is ``observe(_:_:)`` without a filter.
    ///
    /// - Parameter handler: What to do with an event.
    /// - Returns: What keeps the observation alive.
    public func observe(_ handler: @escaping @Sendable (ClientEvent) -> Void) -> EventObservation {
        observe(.all, handler)
    }

    /// Calls a handler for what happens, until the returned observation is cancelled or released.
    ///
    /// Handlers are called one event at a time, in the order of the events, on the task that caused one of them, with no
    /// lock held: a handler may call back into the manager. One that takes long delays the other observers and the call that
    /// it is told of, but no other call. For slow work read ``events``, for work on the screen observe on the main actor.
    ///
    /// - Parameters:
    ///   - filter: Which events.
    ///   - handler: What to do with an event.
    /// - Returns: What keeps the observation alive.
    public func observe(
        _ filter: EventFilter,
        _ handler: @escaping @Sendable (ClientEvent) -> Void
    ) -> EventObservation {
        EventObservation(hub: core.hub, filter: filter) { event in
            handler(event)
            return true
        }
    }

    /// Calls a handler on the main actor for what happens, until the returned observation is cancelled or released.
    ///
    /// Handlers are called in the order of the events. Nobody waits for them: a call may have gone on, and even ended, when
    /// its event arrives. After the observation was cancelled on the main actor, its handler is called no more.
    ///
    /// - Parameters:
    ///   - filter: Which events; all by default.
    ///   - handler: What to do with an event.
    /// - Returns: What keeps the observation alive.
    public func observe(
        _ filter: EventFilter = .all,
        onMainActor handler: @escaping @MainActor @Sendable (ClientEvent) -> Void
    ) -> EventObservation {
        let delivery = MainActorDelivery(handler: handler)
        return EventObservation(hub: core.hub, filter: filter, onCancel: delivery.cancel) { event in
            delivery.deliver(event)
            return true
        }
    }

    /// Calls a handler for what happens, for as long as its owner lives; nobody need keep the observation.
    ///
    /// The owner is not kept alive, and is handed to the handler, so that the handler need not capture it. Otherwise as
    /// ``observe(_:_:)``.
    ///
    /// ```swift
    /// manager.observe(.callEnds, owner: self) { owner, event in owner.note(event) }
    /// ```
    ///
    /// - Parameters:
    ///   - filter: Which events; all by default.
    ///   - owner: Whose life bounds the observation.
    ///   - handler: What to do with an event.
    /// - Returns: What can end the observation earlier.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ filter: EventFilter = .all,
        owner: Owner,
        _ handler: @escaping @Sendable (Owner, ClientEvent) -> Void
    ) -> EventObservation {
        EventObservation(hub: core.hub, filter: filter, endsOnRelease: false) { [weak owner] event in
            guard let owner else {
                return false
            }
            handler(owner, event)
            return true
        }
    }

    /// Calls a handler on the main actor for what happens, for as long as its owner lives; nobody need keep the observation.
    ///
    /// - Parameters:
    ///   - filter: Which events; all by default.
    ///   - owner: Whose life bounds the observation; it is not kept alive.
    ///   - handler: What to do with an event.
    /// - Returns: What can end the observation earlier.
    @discardableResult
    public func observe<Owner: AnyObject & Sendable>(
        _ filter: EventFilter = .all,
        owner: Owner,
        onMainActor handler: @escaping @MainActor @Sendable (Owner, ClientEvent) -> Void
    ) -> EventObservation {
        let delivery = MainActorDelivery { [weak owner] event in
            if let owner {
                handler(owner, event)
            }
        }
        return EventObservation(
            hub: core.hub,
            filter: filter,
            endsOnRelease: false,
            onCancel: delivery.cancel
        ) { [weak owner] event in
            delivery.deliver(event)
            return owner != nil
        }
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
