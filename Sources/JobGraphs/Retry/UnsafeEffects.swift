// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Counts the unsafe work that was begun during the attempts of a node and may have had an effect, which another
/// attempt could repeat.
///
/// The work counts wherever it was begun, by the node itself, by a call in its code or by nodes of a graph inside, and
/// whatever became of it. Calls that a call's own code sends do not count: the call itself does.
package final class UnsafeEffects: Sendable {
    /// The counts of the nodes around a task, and `nil` around the code that a call runs.
    private static let scopes = TaskScope<UnsafeEffects?>()

    private let count = Atomic<Int>(0)

    init() {}

    var repetition: Repetition { Repetition(mayHaveHadEffect: count.load(ordering: .acquiring) > 0) }

    @inline(__always)
    func counted<Value>(
        isolation: isolated (any Actor)? = #isolation,
        attempts: () async throws -> Value
    ) async rethrows -> Value {
        try await Self.scopes.open(self, operation: attempts)
    }

    /// Runs the code of a call, or of other unsafe work that is counted itself, in which calls do not count.
    package static func uncounted<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ code: () async throws -> Value
    ) async rethrows -> Value {
        try await scopes.open(nil, operation: code)
    }

    /// The counts of all attempts that the current task belongs to.
    package static var current: [UnsafeEffects] {
        var counts: [UnsafeEffects] = []
        _ = scopes.innermost { effects in
            guard let effects else {
                return true
            }
            counts.append(effects)
            return false
        }
        return counts
    }

    package struct Work: Sendable {
        fileprivate let counts: [UnsafeEffects]

        /// Returns the part of the work that counts for the given attempts, and the rest of it.
        func divided(by outer: [UnsafeEffects]) -> (outer: Work, rest: Work) {
            func isOuter(_ effects: UnsafeEffects) -> Bool { outer.contains { $0 === effects } }
            return (Work(counts: counts.filter(isOuter)), Work(counts: counts.filter { !isOuter($0) }))
        }

        /// Records that the work had no effect, or that another attempt will not repeat it, or may.
        package func endWithoutEffect() {
            for effects in counts {
                effects.count.wrappingSubtract(1, ordering: .acquiringAndReleasing)
            }
        }
    }

    @discardableResult
    package static func begin(in counts: [UnsafeEffects] = UnsafeEffects.current) -> Work {
        for effects in counts {
            effects.count.wrappingAdd(1, ordering: .acquiringAndReleasing)
        }
        return Work(counts: counts)
    }
}
