// SPDX-License-Identifier: MIT

package import RestEssentials
import SharedStore

/// An error of a job, a group, a graph or a journal.
///
/// Compare ``code-swift.property`` with the static members of ``Code-swift.struct``; more of them may come with later
/// versions. Errors of the work itself are passed on as they are.
public struct JobGraphError: Error, Sendable, CustomStringConvertible {
    /// The kind of the error.
    public let code: Code

    /// The error in words: what is wrong, and what to do.
    public let message: String

    /// The node of the graph in which it happened, if any; nodes of graphs inside have the node around them in front.
    public package(set) var node: String?

    /// The error beneath, if any.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - message: The error in words.
    ///   - underlying: The error beneath, if any.
    package init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The error in words, with its code and its node.
    public var description: String {
        let place = node.map { " [node '\($0)']" } ?? ""
        return "\(code): \(message)\(place)\(underlying.map { "; underlying: \(Self.words(for: $0))" } ?? "")"
    }

    /// Returns an error in words, without values that could not be encoded or decoded, and without words of unknown
    /// origin.
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

    package func failure(now: Date) -> AttemptFailure {
        AttemptFailure(self, isTransient: code == .timeout)
    }
}
