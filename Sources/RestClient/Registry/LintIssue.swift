// SPDX-License-Identifier: MIT

/// Something in a manager's registries that will make requests fail, or that nobody can reach.
public struct LintIssue: Sendable, Hashable, CustomStringConvertible {
    /// The kind of the fault.
    public enum Kind: Sendable, Hashable {
        /// An alias points to something that is not registered.
        case danglingKey
        /// An alias is registered for operations with different models.
        case ambiguousAlias
        /// An environment registers what the manager registers too, so that the environment's is never used.
        case hiddenRegistration
        /// An address is not a valid URL.
        case invalidServerAddress
        /// A path template cannot be read.
        case invalidPathTemplate
        /// Defaults are registered for a placeholder that the template does not have.
        case unusedDefault
        /// The manager or an environment sets a credential, and there is no registered server that it could go to.
        case withheldCredential
        /// A dummy can never be chosen.
        case unreachableDummy
        /// Two dummies fit the same requests equally, so that the order of their registration decides.
        case ambiguousDummy
        /// A graph has a circle, a name twice, or a handle of another graph.
        case unsoundGraph
        /// A request of a graph cannot be made or resolved for another reason than an unknown alias.
        case unresolvableRequest
    }

    /// The kind of the fault.
    public let kind: Kind

    /// The fault, its place, and what to do.
    public let message: String

    /// Creates an issue.
    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    /// The fault, its place, and what to do.
    public var description: String { message }
}
