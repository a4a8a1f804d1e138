// SPDX-License-Identifier: MIT

/// How a node ended, as an engine keeps it.
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
    /// How a node ended that gives values of this type.
    init(_ result: NodeResult) {
        switch result {
        case .success(let value as Output): self = .success(value)
        case .failure(let error): self = .failure(error)
        case .cancelled: self = .cancelled
        case .skipped: self = .skipped
        // A member's value is of its type, so that only members that did not run have none.
        case .success, .notRun: self = .notRun
        }
    }
}
