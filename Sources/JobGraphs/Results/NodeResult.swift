// SPDX-License-Identifier: MIT

/// The outcome of a node, as an engine stores it: a ``JobOutcome`` in a single type, because each copy of a generic
/// enum would make the runtime look up its layout.
enum NodeResult: Sendable {
    case success(any Sendable)
    case failure(any Error)
    case cancelled
    case skipped
    case notRun

    init(_ work: () throws -> any Sendable) {
        do {
            self = .success(try work())
        } catch {
            self.init(of: error)
        }
    }

    init(of error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case is NothingToDo: self = .skipped
        default: self = .failure(error)
        }
    }

    var outcome: JobOutcome<any Sendable> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        case .cancelled: .cancelled
        case .skipped: .skipped
        case .notRun: .notRun
        }
    }

    var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// False for what an interrupted run may do differently when it goes on.
    var isFinal: Bool {
        switch self {
        case .success, .skipped: true
        case .failure, .cancelled, .notRun: false
        }
    }

    var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}

extension JobOutcome {
    /// Returns the outcomes of nodes whose values have this type, all at once: each generic call would look up the
    /// type.
    static func of(_ results: [NodeResult]) -> [Self] {
        var outcomes: [Self] = []
        outcomes.reserveCapacity(results.count)
        for result in results {
            switch result {
            case .success(let value):
                // The value of a member always has this type.
                do {
                    outcomes.append(.success(try TypedValue.cast(value, orThrow: CancellationError())))
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

/// The error of a body that has nothing to do: the node is skipped.
struct NothingToDo: Error {}
