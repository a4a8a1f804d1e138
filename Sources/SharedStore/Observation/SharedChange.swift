// SPDX-License-Identifier: MIT

import RestEssentials

/// A change of one shared value.
public struct SharedChange<Value: Sendable>: Sendable {
    /// The previous value, as far as this observer knew it; `nil` for none.
    public let oldValue: Value?

    /// The new value; `nil` if it was removed, or if it could not be read.
    public let newValue: Value?

    /// The origin of the change.
    public let origin: SharedChangeOrigin

    /// The reason why the new value could not be read, for example because another process sealed it with another key.
    public let error: StoreError?
}

/// A change of any shared value, without the value itself.
public struct SharedDataChange: Sendable, Hashable {
    /// The kind of a change.
    public enum Kind: Sendable, Hashable {
        /// The value was set.
        case updated
        /// The value was removed.
        case removed
    }

    /// The key's name.
    public let name: String

    /// The kind of the change.
    public let kind: Kind

    /// The origin of the change.
    public let origin: SharedChangeOrigin
}

/// The origin of a change of shared data.
public enum SharedChangeOrigin: Sendable, Hashable {
    /// This ``SharedData`` instance.
    case thisProcess
    /// Another process, or another ``SharedData`` on the same file.
    case anotherProcess
}

/// Keeps an observation alive until the token is cancelled or released.
public final class ObservationToken: Sendable {
    private let end: ReleaseOnce

    /// `end` is called once.
    package init(end: @escaping @Sendable () -> Void) {
        self.end = ReleaseOnce(end)
    }

    /// Ends the observation; calling it again does nothing.
    ///
    /// From then on the observer receives nothing. A call that is in progress on another task may still finish.
    public func cancel() {
        end.release()
    }
}
