// SPDX-License-Identifier: MIT

import RestEssentials

/// A scope whose calls get invented or recorded responses, and the states that they leave.
///
/// Everything that learns from responses takes its state from here: see decision 23. An object with a state for each
/// scope has a method `inside(_:)`, which returns the one of a scope, and itself outside of scopes.
final class CallIsolation: Sendable {
    /// Starts a task that gets no responses of a scope and of others of its kind.
    typealias Leave = @Sendable (_ start: () -> Task<Void, Never>) -> Task<Void, Never>

    private static let scopes = TaskScope<CallIsolation>()

    /// Distinguishes the scope from all others, in stored data too.
    let name: String

    let states = ScopedStates()

    private let outer: CallIsolation?

    /// The scope around it that calls of its manager are in without it; `nil` if there is none.
    ///
    /// States begin with what those have there: what another manager's scope invented is not for this one's server.
    let base: CallIsolation?

    /// True for a scope of dummies, which a call may leave by an option.
    let isOfDummies: Bool

    /// The dummies of the only manager that the scope is for; `nil` if it is for every manager.
    private let owner: (any AnyObject & Sendable)?

    /// Returns false while dummies are off, so that calls are as if there was no scope.
    private let isOn: @Sendable () -> Bool

    private let leave: Leave

    private init(
        _ kind: String,
        isOfDummies: Bool,
        owner: (any AnyObject & Sendable)?,
        isOn: @escaping @Sendable () -> Bool,
        leave: @escaping Leave
    ) {
        name = kind + ":" + String(UInt64.random(in: 0 ... .max), radix: 36)
        outer = Self.scopes.innermost()
        base = Self.scopes.innermost { owner == nil || $0.owner == nil || $0.owner === owner }
        self.isOfDummies = isOfDummies
        self.owner = owner
        self.isOn = isOn
        self.leave = leave
    }

    /// Runs an operation in a scope, whose name begins with its kind.
    static func open<Result>(
        _ kind: String,
        isOfDummies: Bool,
        owner: (any AnyObject & Sendable)?,
        isOn: @escaping @Sendable () -> Bool = { true },
        leave: @escaping Leave,
        isolation: isolated (any Actor)?,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        let scope = CallIsolation(kind, isOfDummies: isOfDummies, owner: owner, isOn: isOn, leave: leave)
        return try await scopes.open(scope, isolation: isolation, operation: operation)
    }

    /// Starts a task outside of all scopes, with the other values of this task.
    static func startOutside(_ start: () -> Task<Void, Never>) -> Task<Void, Never> {
        func leave(_ rest: ArraySlice<CallIsolation>) -> Task<Void, Never> {
            guard let scope = rest.first else {
                return start()
            }
            return scope.leave { leave(rest.dropFirst()) }
        }
        let left = scopes.contents
        return scopes.leave { leave(left[...]) }
    }

    /// The innermost scope of the current task for any manager; `nil` outside of scopes.
    ///
    /// It is for objects that belong to no manager.
    static var current: CallIsolation? {
        var seesDummies = true
        return scopes.innermost { $0.holds(&seesDummies) }
    }

    /// Returns the innermost scope of the current task for a manager; `nil` outside of scopes.
    static func innermost(
        for dummies: any AnyObject & Sendable,
        seesDummies: Bool = true
    ) -> CallIsolation? {
        var seesDummies = seesDummies
        return scopes.innermost { scope in
            (scope.owner == nil || scope.owner === dummies) && scope.holds(&seesDummies)
        }
    }

    /// Returns true if calls are in the scope; one whose dummies are off hides the scopes of dummies around it, too.
    private func holds(_ seesDummies: inout Bool) -> Bool {
        guard isOfDummies else {
            return true
        }
        seesDummies = seesDummies && isOn()
        return seesDummies
    }

    /// Returns the state of an object in the scope, made on first use.
    func state<State: Sendable>(of owner: any AnyObject & Sendable, make: () -> State) -> State {
        states.state(of: owner, make: make)
    }

    /// Returns true if it is the given scope, or a scope within it.
    func isInside(_ scope: CallIsolation) -> Bool {
        var level: CallIsolation? = self
        while let current = level {
            if current === scope {
                return true
            }
            level = current.outer
        }
        return false
    }
}
