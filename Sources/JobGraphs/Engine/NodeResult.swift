// SPDX-License-Identifier: MIT

/// The outcome of a node, as an engine keeps it.
///
/// It says the same as a ``JobOutcome``, and is of one type: whoever copies a generic enum asks the runtime for its
/// layout, each time.
enum NodeResult: Sendable {
    case success(any Sendable)
    case failure(any Error)
    case cancelled
    case skipped
    case notRun

    /// The result of work that is done now.
    init(_ work: () throws -> any Sendable) {
        do {
            self = .success(try work())
        } catch {
            self.init(of: error)
        }
    }

    /// The result of work that threw an error.
    init(of error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case is NothingToDo: self = .skipped
        default: self = .failure(error)
        }
    }

    /// The same for those outside.
    var outcome: JobOutcome<any Sendable> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        case .cancelled: .cancelled
        case .skipped: .skipped
        case .notRun: .notRun
        }
    }

    /// Returns a value in its own type.
    ///
    /// It does not use `as?` for that: a cast costs more than most nodes.
    ///
    /// - Throws: The error for a value of another type.
    static func cast<Own, Value>(
        _ value: Own,
        to type: Value.Type = Value.self,
        orThrow error: @autoclosure () -> any Error
    ) throws -> Value {
        Own.self == Value.self ? unsafe unsafeBitCast(value, to: type) : try convert(value, orThrow: error())
    }

    /// The rare case, apart: a function with an optional of a generic type looks that up at each call.
    @inline(never)
    private static func convert<Own, Value>(_ value: Own, orThrow error: @autoclosure () -> any Error) throws -> Value {
        guard let other = value as? Value else {
            throw error()
        }
        return other
    }

    /// The error, if there is one.
    var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// True if there is a value.
    var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    /// The phase of a node that had its turn and ended like this.
    var phase: JobGraphStateMachine.Phase {
        switch self {
        case .success: .success
        case .failure: .failure
        case .cancelled, .notRun: .cancelled
        case .skipped: .skipped
        }
    }
}

extension JobOutcome {
    /// Returns the outcomes of nodes that give values of this type.
    ///
    /// All at once: in a generic function that is called for each of them, the runtime looks up the type each time.
    static func of(_ results: [NodeResult]) -> [Self] {
        var outcomes: [Self] = []
        outcomes.reserveCapacity(results.count)
        for result in results {
            switch result {
            case .success(let value):
                // The value of a member is of its type.
                do {
                    outcomes.append(.success(try NodeResult.cast(value, orThrow: CancellationError())))
                } catch {
                    outcomes.append(.notRun)
                }
            case .failure(let error): outcomes.append(.failure(error))
            case .cancelled: outcomes.append(.cancelled)
            case .skipped: outcomes.append(.skipped)
            case .notRun: outcomes.append(.notRun)
            }
        }
        return outcomes
    }
}
