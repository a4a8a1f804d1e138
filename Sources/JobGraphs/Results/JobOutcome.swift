// SPDX-License-Identifier: MIT

/// The outcome of a job of a group.
public enum JobOutcome<Output: Sendable>: Sendable {
    /// It ended with a result.
    case success(Output)
    /// It ended with an error.
    case failure(any Error)
    /// It was cancelled while it ran.
    case cancelled
    /// A node that it needs has no result, or its condition does not hold; only in a ``JobGraph``.
    case skipped
    /// It was never started, because the group or the run ended first.
    case notRun

    /// The result, if there is one.
    public var value: Output? {
        if case .success(let value) = self { value } else { nil }
    }

    /// The error, if there is one.
    public var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// A Boolean value that indicates whether the job ended with a result.
    @inlinable public var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    /// The result.
    ///
    /// - Throws: The error of the job, or `CancellationError` when it was cancelled, skipped or never started.
    public func get() throws -> Output {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw error
        case .cancelled, .skipped, .notRun: throw CancellationError()
        }
    }

    var erased: JobOutcome<any Sendable> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        case .cancelled: .cancelled
        case .skipped: .skipped
        case .notRun: .notRun
        }
    }

    static func of(_ operation: () async throws -> Output) async -> Self {
        do {
            return .success(try await operation())
        } catch is CancellationError {
            return .cancelled
        } catch {
            return .failure(error)
        }
    }
}
