// SPDX-License-Identifier: MIT

import DequeModule
import Synchronization

extension SharedData {
    // MARK: - Sequences

    /// The maximum number of unread changes of a value, beyond which they are merged.
    static let changeLimit = 256

    /// The maximum number of unread changes of all values, beyond which they are merged.
    static let allChangesLimit = 1024

    /// Returns the changes of a value from now on.
    ///
    /// If changes are made faster than they are read, pending ones are merged: the last one is never lost, and its old
    /// value is the one that the reader saw last. The sequence ends when the task is cancelled or the store is closed.
    ///
    /// ```swift
    /// for await change in data.changes(for: .session, options: [.initial, .distinct]) { show(change.newValue) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - options: Options to begin with the current value and to skip equal values. Defaults to neither.
    /// - Returns: A sequence to iterate once. It includes changes by other processes. Expiry of a value is not a
    ///   change.
    public func changes<Value>(
        for key: SharedKey<Value>,
        options: Set<SharedObservationOption> = []
    ) -> some AsyncSequence<SharedChange<Value>, Never> & Sendable {
        let channel = ChangeChannel<SharedChange<Value>>(limit: Self.changeLimit) { buffer, change in
            // The reader sees the newest value, with the old value of the change that it replaces.
            let oldValue = buffer.last?.oldValue
            buffer[buffer.count - 1] = SharedChange(
                oldValue: oldValue,
                newValue: change.newValue,
                origin: change.origin,
                error: change.error
            )
        }
        let token = register(key, options, finish: channel.finish, channel.send)
        return ChangeSequence(channel: channel, token: token)
    }

    /// Returns the changes of all values from now on.
    ///
    /// If changes are made faster than they are read, those of one value are merged into its last one.
    ///
    /// - Returns: A sequence to iterate once. It includes changes by other processes.
    public func allChanges() -> some AsyncSequence<SharedDataChange, Never> & Sendable {
        let channel = ChangeChannel<SharedDataChange>(limit: Self.allChangesLimit) { buffer, change in
            var last: [RowKey: SharedDataChange] = [:]
            for element in buffer { last[RowKey(element.name)] = element }
            last[RowKey(change.name)] = nil
            let kept = buffer.filter { last[RowKey($0.name)] == $0 }
            buffer = Deque(kept)
            buffer.append(change)
        }
        let token = registerAll(finish: channel.finish, channel.send)
        return ChangeSequence(channel: channel, token: token)
    }

    // MARK: - Callbacks

    /// Calls a closure for each change of a value, until the token is cancelled or released.
    ///
    /// Calls are made one at a time, in the order of the commits, on the thread that made a change or on one that
    /// follows other processes. No lock is held, so the closure may use the store.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - options: Options to begin with the current value and to skip equal values. Defaults to neither.
    ///   - onChange: Receives the change.
    /// - Returns: The token to keep.
    public func observe<Value>(
        _ key: SharedKey<Value>,
        options: Set<SharedObservationOption> = [],
        onChange: @escaping @Sendable (SharedChange<Value>) -> Void
    ) -> ObservationToken {
        register(key, options, finish: {}, onChange)
    }

    /// Calls a closure for each change of any value, until the token is cancelled or released.
    ///
    /// - Parameter onChange: Receives the change, as for ``observe(_:options:onChange:)``.
    /// - Returns: The token to keep.
    public func observeAll(onChange: @escaping @Sendable (SharedDataChange) -> Void) -> ObservationToken {
        registerAll(finish: {}, onChange)
    }

    // MARK: - Registration

    private func register<Value>(
        _ key: SharedKey<Value>,
        _ options: Set<SharedObservationOption>,
        finish: @escaping @Sendable () -> Void,
        _ onChange: @escaping @Sendable (SharedChange<Value>) -> Void
    ) -> ObservationToken {
        let subscriber = Subscriber(finish: finish, onChange: onChange)
        let observer = ValueObserver(key: key, isDistinct: options.contains(.distinct), subscriber: subscriber)
        let rowKey = RowKey(key.name)
        var number: Int?
        while number == nil {
            let generation = state.withLock { $0.generation }
            let known: (value: Value?, version: UInt64)
            var failure: StoreError?
            do throws(StoreError) {
                known = try load(key)
            } catch {
                known = (nil, 0)
                failure = error
            }
            let newValue = known.value ?? (failure == nil ? key.defaultValue : nil)
            let isStored = known.value != nil || failure != nil
            number = state.withLock { state -> Int? in
                // A change between the read and this point must not be missed.
                guard state.generation == generation else {
                    return nil
                }
                let isFromHere = !isStored || state.loaded[rowKey]?.isFromHere == true
                let initial = SharedChange(
                    oldValue: nil,
                    newValue: newValue,
                    origin: isFromHere ? .thisProcess : .anotherProcess,
                    error: failure
                )
                // The observer knows that there is a value, so it is told when that is removed.
                if failure != nil, state.loaded[rowKey] == nil {
                    state.loaded[rowKey] = Loaded(version: 0, content: .unknown)
                }
                state.nextObserver += 1
                state.observers[rowKey, default: [:]][state.nextObserver] = Registration(
                    observer: observer,
                    last: known.value,
                    version: known.version
                )
                if options.contains(.initial) { delivery.add { subscriber.deliver(initial) } }
                return state.nextObserver
            }
        }
        delivery.deliver()
        return ObservationToken { [weak self, number] in
            subscriber.end()
            guard let number else {
                return
            }
            self?.state
                .withLock { state in
                    state.observers[rowKey]?[number] = nil
                    if state.observers[rowKey]?.isEmpty == true { state.observers[rowKey] = nil }
                }
        }
    }

    private func registerAll(
        finish: @escaping @Sendable () -> Void,
        _ onChange: @escaping @Sendable (SharedDataChange) -> Void
    ) -> ObservationToken {
        let subscriber = Subscriber(finish: finish, onChange: onChange)
        let number = state.withLock { state in
            state.nextObserver += 1
            state.allObservers[state.nextObserver] = subscriber
            return state.nextObserver
        }
        return ObservationToken { [weak self] in
            subscriber.end()
            self?.state.withLock { $0.allObservers[number] = nil }
        }
    }

    // MARK: - Notification

    /// Queues the deliveries of a change, in the order of the calls of this function.
    ///
    /// `row` is the row that another process wrote, from which each observer decodes the value in place of `new`.
    func notify(
        _ key: RowKey,
        _ new: ObservedValue,
        from row: Row? = nil,
        version: UInt64,
        origin: SharedChangeOrigin,
        _ state: inout State
    ) {
        for (number, registration) in (state.observers[key] ?? [:]).sorted(by: { $0.key < $1.key })
        where registration.version < version {
            state.observers[key]?[number]?.version = version
            delivery.add { [self] in deliver(new, from: row, of: key, to: number, origin: origin) }
        }
        guard !state.allObservers.isEmpty else {
            return
        }
        var kind = SharedDataChange.Kind.updated
        if case .known(nil) = new { kind = .removed }
        let change = SharedDataChange(name: key.string, kind: kind, origin: origin)
        for (_, observer) in state.allObservers.sorted(by: { $0.key < $1.key }) {
            delivery.add { observer.deliver(change) }
        }
    }

    /// Delivers a change to an observer, unless its observation has ended.
    ///
    /// Called for one change at a time, so the old value is the one that the observer received last. Decoding and
    /// comparing values runs the user's code, so no lock may be held.
    private func deliver(
        _ new: ObservedValue,
        from row: Row?,
        of key: RowKey,
        to number: Int,
        origin: SharedChangeOrigin
    ) {
        guard let registration = state.withLock({ $0.observers[key]?[number] }) else {
            return
        }
        let value = row.map(registration.observer.decode) ?? new
        // A row that was replaced meanwhile may be older than its mark. The new row is reported as well.
        if let row, case .unreadable(let error) = value, error.code == .rolledBack, hasChanged(key, since: row) {
            return
        }
        let change = registration.observer.change(to: value, from: registration.last, origin: origin)
        state.withLock { $0.observers[key]?[number]?.last = change.new }
        change.deliver?()
    }

    private func hasChanged(_ key: RowKey, since row: Row) -> Bool {
        (try? self.row(key.string)?.version != row.version) ?? false
    }
}

final class ValueObserver<Value: Codable & Sendable>: ValueObserving {
    let subscriber: Subscriber<SharedChange<Value>>
    private let key: SharedKey<Value>
    private let isDistinct: Bool

    init(key: SharedKey<Value>, isDistinct: Bool, subscriber: Subscriber<SharedChange<Value>>) {
        self.key = key
        self.isDistinct = isDistinct
        self.subscriber = subscriber
    }

    func finish() {
        subscriber.finish()
    }

    func decode(_ row: Row) -> ObservedValue {
        do throws(StoreError) {
            return .known(try key.decode(row).value)
        } catch {
            return .unreadable(error)
        }
    }

    func change(
        to new: ObservedValue,
        from old: (any Sendable)?,
        origin: SharedChangeOrigin
    ) -> (new: (any Sendable)?, deliver: (@Sendable () -> Void)?) {
        var newValue: Value?
        var failure: StoreError?
        switch new {
        case .known(nil): break
        case .known(let value?):
            newValue = value as? Value
            if newValue == nil {
                failure = StoreError(
                    .decodingFailed,
                    "the value was set as another type than \(Value.self)",
                    key: key.name
                )
            }
        case .unreadable(let error): failure = error
        }
        let oldValue = old as? Value
        if isDistinct, failure == nil, Self.areEqual(oldValue, newValue) { return (newValue, nil) }
        let change = SharedChange(oldValue: oldValue, newValue: newValue, origin: origin, error: failure)
        return (newValue, { [subscriber] in subscriber.deliver(change) })
    }

    /// Returns true if both are absent, or are equal values of an `Equatable` type.
    private static func areEqual(_ left: Value?, _ right: Value?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): (left as? any Equatable).map { isEqual($0, right) } ?? false
        default: false
        }
    }

    private static func isEqual<Known: Equatable>(_ left: Known, _ right: Value) -> Bool {
        left == right as? Known
    }
}

/// An option for observers of a shared value.
public enum SharedObservationOption: Sendable {
    /// Begins with the current value, as a change without an old value.
    case initial

    /// Skips changes to an equal value. It has no effect on values that are not `Equatable`.
    case distinct
}

protocol ValueObserving: AnyObject, Sendable {
    /// Ends the sequence behind it, if there is one.
    func finish()

    /// Decodes a row as this observer sees it. It may run the user's code, so no lock may be held.
    func decode(_ row: Row) -> ObservedValue

    /// Returns the value that the observer receives after the last one, and its delivery; `nil` if it need not be
    /// notified. It may run the user's code, so no lock may be held.
    func change(
        to new: ObservedValue,
        from old: (any Sendable)?,
        origin: SharedChangeOrigin
    ) -> (new: (any Sendable)?, deliver: (@Sendable () -> Void)?)
}

enum ObservedValue: Sendable {
    /// The value; `nil` if it is absent.
    case known((any Sendable)?)
    case unreadable(StoreError)
}

/// Receives changes until its observation ends.
final class Subscriber<Change: Sendable>: Sendable {
    /// Ends the sequence behind it, if there is one.
    let finish: @Sendable () -> Void
    private let onChange: @Sendable (Change) -> Void
    private let isActive = Atomic(true)

    init(finish: @escaping @Sendable () -> Void, onChange: @escaping @Sendable (Change) -> Void) {
        self.finish = finish
        self.onChange = onChange
    }

    func end() {
        isActive.store(false, ordering: .releasing)
        finish()
    }

    func deliver(_ change: Change) {
        if isActive.load(ordering: .acquiring) { onChange(change) }
    }
}
