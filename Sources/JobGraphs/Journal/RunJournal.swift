// SPDX-License-Identifier: MIT

import RestEssentials
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
/// either differs, it runs again. A run that succeeded is kept in the same way: the next one with the journal returns
/// its results and does nothing again, also if the process was killed before it told anyone. So name a journal for the
/// work that is to be done once, as in `nightly-2026-11-28`, or choose ``AfterSuccess/restart``. A journal belongs to
/// the graph with which it began, by the name of the graph, and is kept until
/// ``Journals/drop(_:abandoningUnresolved:)``.
///
/// Before unsafe work begins (``JobContext/once(hadNoEffect:_:)``; in RestClient, each request with an unsafe method),
/// a record of it is stored too, together with a key by which others can recognize a repetition. If the outcome is
/// unknown afterwards, ``UnknownOutcome`` decides what happens, whatever else of the run has changed since. Other work
/// has no such record: if it had not ended, it runs again.
///
/// Results must be `Codable` or `Void`, or optionals, arrays or outcomes of these; a graph with other results is
/// rejected before it begins. They are stored unencrypted, unless the codec seals them. Without such a codec, a result
/// that looks like a credential is an error; in RestClient, let a `TokenSource` provide tokens, and not a node or an
/// input.
public struct RunJournal: Sendable, ExpressibleByStringLiteral {
    /// The effect of a run with a journal whose last run has succeeded.
    public enum AfterSuccess: Sendable, Hashable {
        /// It returns the stored results, and does only what was added to the graph or has other inputs.
        case keep
        /// It starts from the beginning, except for unsafe work whose outcome is unknown.
        case restart
    }

    /// The name, which identifies the run.
    public let name: String

    /// The codec of stored results.
    public let codec: StorageCodec

    package let unknownOutcome: UnknownOutcome
    package let afterSuccess: AfterSuccess

    /// Creates a journal name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - codec: The codec of results; by default they are stored as they are. A sealed codec encrypts them.
    ///   - unknownOutcome: The policy for unsafe work whose outcome is unknown; the node fails by default.
    ///   - afterSuccess: The effect of a run when the last one has succeeded; by default it returns that one's results.
    public init(
        _ name: String,
        codec: StorageCodec = .identity,
        unknownOutcome: UnknownOutcome = .fail,
        afterSuccess: AfterSuccess = .keep
    ) {
        self.name = name
        self.codec = codec
        self.unknownOutcome = unknownOutcome
        self.afterSuccess = afterSuccess
    }

    /// Creates a journal name with the default codec and the policy that nodes with an unknown outcome fail.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}

/// The policy for unsafe work that an earlier run began and whose outcome is unknown.
///
/// Work is unsafe when doing it twice has another effect than doing it once. See ``RunJournal``.
public enum UnknownOutcome: Sendable, Hashable {
    /// The node fails with ``JobGraphError/Code-swift.struct/unknownOutcome``, and a person decides.
    case fail
    /// The work is done again with the same key, by which the other side recognizes the repetition.
    case repeatWithSameKey
    /// The node counts as done. Allowed only if its result is `Void` or optional, because there is no result to pass
    /// on.
    case treatAsDone
}
