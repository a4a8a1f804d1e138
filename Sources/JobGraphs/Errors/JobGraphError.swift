// SPDX-License-Identifier: MIT

public import RestEssentials
import SharedStore

/// An error of a job, a group, a graph or a journal.
///
/// Compare ``code-swift.property`` with the static members of ``Code-swift.struct``; later versions may add more.
/// Errors of the work itself are passed on unchanged.
public struct JobGraphError: Error, Sendable, CustomStringConvertible {
    /// The kind of the error.
    public let code: Code

    /// A description of the error: what is wrong, and what to do.
    public let message: String

    /// The name of the node in which it happened, if any; for a node inside a sub-graph, the outer name comes first.
    public package(set) var node: String?

    /// The underlying error, if any.
    public let underlying: (any Error)?

    package init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = MessageText.of(message)
        self.underlying = underlying
    }

    /// The description, with the code and the node.
    public var description: String {
        let place = node.map { " [node '\($0)']" } ?? ""
        return MessageText.of(
            "\(code): \(message)\(place)\(underlying.map { "; underlying: \(Self.words(for: $0))" } ?? "")",
            limit: 2 * MessageText.messageLimit
        )
    }

    /// Returns a description of an error without values that could not be encoded or decoded, and without text of
    /// unknown origin.
    static func words(for error: any Error) -> String {
        switch error {
        case is DecodingError, is EncodingError: "\(type(of: error)): \(DecodingReason.describe(error))"
        case is any WorkError, is StoreError: "\(error)"
        default: "\(type(of: error))"
        }
    }
}

extension JobGraphError: WorkError {
    package var detail: (any WorkDetail)? { nil }

    package mutating func setNode(_ node: String) {
        self.node = node
    }

    package func failure(now: Date) -> AttemptFailure {
        AttemptFailure(self, isTransient: code == .timeout)
    }
}

extension JobGraphError {
    static func foreignHandle(_ handle: String, namedBy user: String, in graph: String) -> Self {
        Self(
            .unknownJobHandle,
            "'\(user)' of the graph '\(graph)' names '\(handle)', which is a node of another graph; add both to one "
                + "graph, or add the other graph as a sub-graph"
        )
    }
}

extension JobGraphError: LocalizedError {
    /// The ``message``, which `localizedDescription` returns.
    public var errorDescription: String? { message }
}
