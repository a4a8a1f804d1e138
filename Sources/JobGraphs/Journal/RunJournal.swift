// SPDX-License-Identifier: MIT

public import SharedStore

/// The name under which a run stores the results of its nodes, so that it can be resumed after a crash.
///
/// ```swift
/// let run = try await runtime.run(graph, journal: "nightly")
/// ```
///
/// Each result is stored as soon as it is available, in the runtime's directory (in RestClient, that of
/// `manager.persist(in:)`; without one, in memory). When the process is killed, running the same graph with the same
/// name again resumes the run: nodes that had ended return their stored result and are
/// ``RunReport/Status-swift.enum/resumed``. A node is recognized by its name and the results that it depends on; if
/// either differs, it runs again. After a run that succeeded, the next one starts from the beginning, even if the
/// process was killed before it told anyone: let the last node of the graph record that the work is done.
///
/// Before unsafe work begins (``JobContext/once(hadNoEffect:_:)``; in RestClient, each request with an unsafe method),
/// a record of it is stored too, together with a key by which others can recognize a repetition. If the outcome is
/// unknown afterwards, ``UnknownOutcome`` decides what happens. Other work has no such record: if it had not ended, it
/// runs again.
///
/// Results must be `Codable` or `Void`; a graph with other results is rejected before it begins. They are stored
/// unencrypted, unless the codec seals them.
public struct RunJournal: Sendable, ExpressibleByStringLiteral {
    /// The name, which identifies the run.
    public let name: String

    /// The codec of stored results.
    public let codec: StorageCodec

    /// The policy for unsafe work whose outcome is unknown, unless the node sets another.
    public let unknownOutcome: UnknownOutcome

    /// Creates a journal name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - codec: The codec of results; by default they are stored as they are. A sealed codec encrypts them.
    ///   - unknownOutcome: The policy for unsafe work whose outcome is unknown; the node fails by default.
    public init(
        _ name: String,
        codec: StorageCodec = .identity,
        unknownOutcome: UnknownOutcome = .fail
    ) {
        self.name = name
        self.codec = codec
        self.unknownOutcome = unknownOutcome
    }

    /// Creates a journal name with the default codec and the policy that nodes with an unknown outcome fail.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}
