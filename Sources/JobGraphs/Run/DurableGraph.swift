// SPDX-License-Identifier: MIT

import RestEssentials
public import SharedStore

/// A graph with a name, which any process that offers it can run and continue.
///
/// ```swift
/// extension DurableGraph where Input == Day {
///     static var nightly: Self {
///         .init("nightly", unknownOutcome: .repeatWithSameKey) { day in
///             var graph = JobGraph("nightly")
///             let date = graph.input("day", day)
///             graph.job("report", after: date) { day in Report(of: day) }
///             return graph
///         }
///     }
/// }
/// try await runtime.enqueue(.nightly, today, as: "nightly \(today)")       // anywhere
/// try await runtime.worker(limit: 4).offering(.nightly).run()              // in each process that works
/// ```
///
/// A run has a journal of its name (``RunJournal``): when its process dies, another worker continues it with the stored
/// results. It recognizes a node by its name and its inputs, so a changed graph continues the runs of its predecessor;
/// what older code must not pick up needs another name.
public struct DurableGraph<Input: Sendable>: Sendable {
    /// The name, by which processes know the graph.
    public let name: String

    let codec: StorageCodec
    let unknownOutcome: UnknownOutcome
    let build: @Sendable (Input) throws -> JobGraph

    /// Creates a durable graph.
    ///
    /// - Parameters:
    ///   - name: The name; it must be the same in all processes.
    ///   - codec: The codec of inputs and results; by default they are stored as they are. A sealed one encrypts them.
    ///   - unknownOutcome: The policy for unsafe work whose outcome is unknown, because its process died; by default
    ///     the node fails.
    ///   - build: Makes the graph of a run from its input, which is `Codable` or `Void`. It is called again when
    ///     another process continues the run, and must return the same graph.
    public init(
        _ name: String,
        codec: StorageCodec = .identity,
        unknownOutcome: UnknownOutcome = .fail,
        _ build: @escaping @Sendable (Input) throws -> JobGraph
    ) {
        self.name = name
        self.codec = codec
        self.unknownOutcome = unknownOutcome
        self.build = build
    }
}

extension DurableGraph {
    func journal(_ run: String) -> RunJournal {
        RunJournal(run, codec: codec, unknownOutcome: unknownOutcome)
    }

    func check() throws(JobGraphError) {
        guard ResultCoding.canStore(Input.self) else {
            throw JobGraphError(
                .resultNotCodable,
                "the graph '\(name)' has an input of type \(Input.self), which cannot be stored; make it Codable"
            )
        }
    }

    /// Returns the stored form of an input, unless that looks like a credential and would not be sealed.
    func encode(_ input: Input, of run: String, for runtime: JobRuntime, _ rows: JournalRows) throws -> Data {
        try check()
        let bytes = try ResultCoding.encode(input, words: runtime.words)
        if !codec.isSealed {
            if ResultCoding.isCredential(Input.self) {
                throw JobGraphError.secret("the input, a \(Input.self),", in: run)
            }
            if let member = SecretMember.name(in: bytes, rows.isSecret) {
                throw JobGraphError.secret("the member '\(member)' of the input", in: run)
            }
        }
        return try codec.encode(bytes, context: Self.context(run))
    }

    /// Makes the graph of a run from its stored input.
    func graph(_ stored: Data, _ head: JournalHead, of run: String) throws -> JobGraph {
        guard head.codec == codec.identifier else {
            throw JobGraphError(
                .journalUnreadable,
                "the input of the run '\(run)' was stored with the codec '\(head.codec ?? "")', and the graph '\(name)' has "
                    + "'\(codec.identifier)'"
            )
        }
        let input: Input
        do {
            input = try ResultCoding.value(try codec.decode(stored, context: Self.context(run)), as: Input.self)
        } catch {
            throw JobGraphError(
                .journalUnreadable,
                "the input of the run '\(run)' is no \(Input.self) of the graph '\(name)': "
                    + ((error as? StoreError)?.reason ?? DecodingReason.describe(error)),
                underlying: error
            )
        }
        return try build(input)
    }

    private static func context(_ run: String) -> CodecContext {
        CodecContext(name: JournalRows.head(run), header: Data("input".utf8))
    }
}
