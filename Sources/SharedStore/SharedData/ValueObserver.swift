// SPDX-License-Identifier: MIT

/// An observer of one value.
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
