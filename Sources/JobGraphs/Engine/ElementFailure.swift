// SPDX-License-Identifier: MIT

/// The reaction of a loop to the failure of an element.
public enum ElementFailure: Sendable, Hashable {
    /// The node fails at once, and the other elements are cancelled.
    case failFast
    /// The node fails with the first error once every element has ended.
    case failAtEnd
    /// The node succeeds with the results of the elements that succeeded, in their order.
    case omit
}

extension ElementFailure {
    /// Returns the result of a node from the outcomes of its elements.
    func results<Output>(of outcomes: [JobOutcome<Output>]) throws -> [Output] {
        if self != .omit {
            // Elements that the loop cancelled have no errors, so this is the cause.
            if let error = outcomes.lazy.compactMap(\.error).first {
                throw error
            }
            return try outcomes.map { try $0.get() }
        }
        return outcomes.compactMap(\.value)
    }
}
