// SPDX-License-Identifier: MIT

/// The result of the previous step of a chain, as the next step receives it.
///
/// It is empty for the first step of a chain, and for jobs that run alone or in a concurrent group.
public struct PreviousResult: Sendable {
    /// The outcome of the previous step; `nil` if there is none.
    public let outcome: JobOutcome<any Sendable>?

    package init(_ outcome: JobOutcome<any Sendable>? = nil) {
        self.outcome = outcome
    }

    /// Returns the value of the previous step.
    ///
    /// - Parameter type: The type that the step results in.
    /// - Returns: The value.
    /// - Throws: The error of the step if it failed, `CancellationError` if it was cancelled, and ``JobGraphError``
    ///   with the code ``JobGraphError/Code-swift.struct/missingPreviousResult`` if there is no previous step or its
    ///   value is of another type.
    public func value<Value>(as type: Value.Type) throws -> Value {
        switch outcome {
        case .success(let value):
            guard let typed = value as? Value else {
                throw JobGraphError(
                    .missingPreviousResult,
                    "the previous step returned \(Swift.type(of: value)), but this step needs \(type)"
                )
            }
            return typed
        case .failure(let error):
            throw error
        case .cancelled:
            throw CancellationError()
        case .skipped, .notRun, .none:
            throw JobGraphError(
                .missingPreviousResult,
                "the step needs \(type) from a previous step, and there is none"
            )
        }
    }
}
