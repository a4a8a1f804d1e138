// SPDX-License-Identifier: MIT

import RestEssentials

/// A fault in a manager's registries: an entry that will make requests fail, or that can never be used.
public struct LintIssue: Sendable, Hashable, CustomStringConvertible {
    /// The kind of the fault.
    public enum Kind: Sendable, Hashable {
        /// An alias points to something that is not registered.
        case unknownAlias
        /// An alias is registered for operations with different models.
        case ambiguousAlias
        /// An environment registers something that the manager registers too, so that the environment's entry is never
        /// used.
        case hiddenRegistration
        /// An address is not a valid URL.
        case invalidServerAddress
        /// A path template cannot be parsed.
        case invalidPathTemplate
        /// Defaults are registered for a placeholder that the template does not contain.
        case unusedDefault
        /// The manager or an environment sets a credential, and no registered server could receive it.
        case withheldCredential
        /// A single public key is pinned for a server, so that all calls fail once the server has another one.
        case missingBackupPin
        /// An option can have no effect with the configuration of the manager.
        case ineffectiveOption
        /// A dummy can never be selected.
        case unreachableDummy
        /// Two dummies match the same requests equally well, so that the order of registration decides.
        case ambiguousDummy
        /// A graph has a cycle, a duplicate name, or a handle of another graph.
        case unsoundGraph
        /// A request of a graph cannot be built or resolved, for a reason other than an unknown alias.
        case unresolvableRequest
    }

    /// The kind of the fault.
    public let kind: Kind

    /// A description of the fault, its location, and the remedy.
    public let message: String

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = MessageText.of(message)
    }

    /// A description of the fault, its location, and the remedy.
    public var description: String { message }
}
