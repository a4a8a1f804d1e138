// SPDX-License-Identifier: MIT

public import SharedStore

/// The policy for an unsafe request that an earlier run sent, and whose outcome is unknown.
///
/// A request is unsafe when its method is not idempotent, like POST. See ``RunJournal``.
public enum UnknownOutcome: Sendable, Hashable {
    /// The node fails with ``JobGraphError/Code-swift.struct/unknownOutcome``, and a person decides.
    case fail
    /// The request is sent again with the same `Idempotency-Key`, by which the server knows that it is the same.
    case repeatWithSameKey
    /// The node counts as done. Only a node whose result is `Void` or optional can: there is no result to hand on.
    case treatAsDone
}

/// The name under which a run stores the results of its nodes, so that it can be resumed after a crash.
///
/// ```swift
/// let run = try await manager.run(graph, journal: "nightly")
/// ```
///
/// Each result is stored as soon as it is there, in the runtime's directory (in RestClient, that of
/// `manager.persist(in:)`; without one, in memory). When the process is killed, running the same graph with the same
/// name again resumes there: nodes that had ended give their stored result and are
/// ``RunReport/Status-swift.enum/resumed``. A node is the same when its name is and the results that it is made from
/// are; else it runs again. After a run that succeeded the next one starts from the beginning.
///
/// Before an unsafe request goes out, that is stored too, together with its `Idempotency-Key`, which is made if the
/// request has none. If its outcome is not known afterwards, ``UnknownOutcome`` says what happens. Local work has no
/// such record: what had not ended runs again.
///
/// Results must be `Codable` or `Void`; a graph with others is refused before it begins. They are stored
/// unencrypted, unless a sealed codec is given.
public struct RunJournal: Sendable, ExpressibleByStringLiteral {
    /// The name, by which runs are told apart and found again.
    public let name: String

    /// The codec of stored results.
    public let codec: StorageCodec

    /// The policy for unsafe requests whose outcome is unknown, unless the node sets another.
    public let unknownOutcome: UnknownOutcome

    /// Creates a name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - codec: How results are stored; as they are by default. A sealed codec keeps them secret.
    ///   - unknownOutcome: What is done about unsafe requests whose outcome is not known; the node fails by default.
    public init(
        _ name: String,
        codec: StorageCodec = .identity,
        unknownOutcome: UnknownOutcome = .fail
    ) {
        self.name = name
        self.codec = codec
        self.unknownOutcome = unknownOutcome
    }

    /// Creates a name with results stored as they are, and nodes failing whose outcome is not known.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}
