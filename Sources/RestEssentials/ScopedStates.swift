// SPDX-License-Identifier: MIT

import Synchronization

/// The states that a scope separates from those outside: each owner has one in the scope, made on first use.
///
/// An owner is an object that learns from what it sees, or a name that several objects share. The states live as long
/// as the scope.
public final class ScopedStates: Sendable {
    private struct Key: Hashable {
        let owner: ObjectIdentifier?
        let name: String
        let type: ObjectIdentifier
    }

    private struct Entry: Sendable {
        let state: any Sendable
        /// Kept alive, so that no other object gets its identity.
        let owner: (any AnyObject & Sendable)?
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// Creates the states of a scope, of which there are none yet.
    public init() {}

    /// Returns the state of an object in the scope.
    ///
    /// - Parameters:
    ///   - owner: The object; `nil` for a state that objects share by its name.
    ///   - name: Distinguishes the states of the object; none by default.
    ///   - make: Makes the state at first. Two tasks may call it at once; one state is kept.
    /// - Returns: The state.
    public func state<State: Sendable>(
        of owner: (any AnyObject & Sendable)?,
        named name: String = "",
        make: () -> State
    ) -> State {
        let key = Key(owner: owner.map { ObjectIdentifier($0) }, name: name, type: ObjectIdentifier(State.self))
        if let known = entries.withLock({ $0[key] })?.state as? State {
            return known
        }
        let new = make()
        return entries.withLock { entries in
            if let known = entries[key]?.state as? State {
                return known
            }
            entries[key] = Entry(state: new, owner: owner)
            return new
        }
    }
}
