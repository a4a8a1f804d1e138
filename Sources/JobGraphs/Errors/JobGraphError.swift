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

extension JobGraphError {
    /// The kinds of errors.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, as in `graphCycle`; it never changes.
        public let description: String

        /// Nodes of a graph wait for each other.
        public static let graphCycle = Code(description: "graphCycle")
        /// Two nodes of a graph have the same name.
        public static let duplicateJobName = Code(description: "duplicateJobName")
        /// A handle does not belong to the graph with which it is used.
        public static let unknownJobHandle = Code(description: "unknownJobHandle")
        /// A node has no result: it was skipped or not run.
        public static let missingJobResult = Code(description: "missingJobResult")
        /// A step needs a result that the previous step does not have.
        public static let missingPreviousResult = Code(description: "missingPreviousResult")
        /// A poll ended before its condition was met.
        public static let pollExhausted = Code(description: "pollExhausted")
        /// A run, a node or a compensation did not end in time.
        public static let timeout = Code(description: "timeout")
        /// A result cannot be stored in a journal.
        public static let resultNotCodable = Code(description: "resultNotCodable")
        /// A record of a journal cannot be read.
        public static let journalUnreadable = Code(description: "journalUnreadable")
        /// A run uses the journal now, here or in another process.
        public static let journalInUse = Code(description: "journalInUse")
        /// A run cannot resume another one, because one of them got what stood in for the real thing, as dummies do.
        public static let journalOfOtherOrigin = Code(description: "journalOfOtherOrigin")
        /// The outcome of unsafe work of an earlier run is unknown.
        public static let unknownOutcome = Code(description: "unknownOutcome")
        /// An earlier run is being compensated, which must end first.
        public static let runCompensated = Code(description: "runCompensated")
        /// A result looks like a credential, and the codec of the journal does not seal it.
        public static let secretNotSealed = Code(description: "secretNotSealed")
        /// A journal belongs to a graph of another name.
        public static let otherGraph = Code(description: "otherGraph")
        /// There is no journal of the given name.
        public static let unknownJournal = Code(description: "unknownJournal")
        /// Work failed in an earlier run, whose outcome is stored.
        public static let earlierFailure = Code(description: "earlierFailure")
    }
}
