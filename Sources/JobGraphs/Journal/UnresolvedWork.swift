// SPDX-License-Identifier: MIT

/// Unsafe work of a run whose outcome is unknown: see ``Journals/unresolved(in:)``.
public struct UnresolvedWork: Sendable, Hashable, CustomStringConvertible {
    /// The name of the journal.
    public let journal: String

    /// The name of the node, the element or the compensation, as in `detail[3]`.
    public let name: String

    /// The prefix of the idempotency keys of the work, by which the server may know it.
    public let idempotencyKey: String?

    /// The path of the work in the run.
    let path: String

    init(journal: String, path: String, record: JournalRecord) {
        self.journal = journal
        self.path = path
        name = record.name
        idempotencyKey = record.idempotencyKey
    }

    /// A short description of the work.
    public var description: String {
        "'\(name)' of the run '\(journal)'\(idempotencyKey.map { ", key \($0)" } ?? "")"
    }
}
