// SPDX-License-Identifier: MIT

import RestEssentials

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

    var erased: JobOutcome<any Sendable> { map { $0 } }

    func map<Other: Sendable>(_ change: (Output) throws -> Other) rethrows -> JobOutcome<Other> {
        switch self {
        case .success(let value): .success(try change(value))
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

extension JobOutcome: CustomStringConvertible {
    /// The outcome on one line, with the result or the error, as in `success: 3` and `not run`.
    public var description: String {
        switch self {
        case .success(let value): value is Void ? "success" : MessageText.of("success: \(value)")
        case .failure(let error): MessageText.of("failure: \(error)")
        case .cancelled: "cancelled"
        case .skipped: "skipped"
        case .notRun: "not run"
        }
    }
}

extension JobOutcome: ComposedResult {
    static var part: Any.Type { Output.self }

    static var isComposed: Bool { true }

    static func encode(_ value: some Any, _ words: (any Error) -> String) throws -> Data? {
        switch try own(value) {
        case .success(let output):
            try Composition("success", [ResultCoding.encode(output, words: words)]).data
        case .failure(let error):
            try Composition("failure", [Data(words(error).utf8)]).data
        case .cancelled: try Composition("cancelled").data
        case .skipped: try Composition("skipped").data
        case .notRun: try Composition("notRun").data
        }
    }

    static func decode(_ data: Data) throws -> Self? {
        guard let composition = try Composition(data) else {
            return nil
        }
        switch composition.name {
        case "success": return .success(try composition.value(Output.self))
        case "failure": return .failure(JobGraphError.earlier(composition.parts.first ?? ""))
        case "cancelled": return .cancelled
        case "skipped": return .skipped
        case "notRun": return .notRun
        default: throw composition.invalid
        }
    }
}
