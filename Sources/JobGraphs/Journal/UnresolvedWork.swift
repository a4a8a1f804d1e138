// SPDX-License-Identifier: MIT

import RestEssentials

/// Unsafe work of a run whose outcome is unknown, or was decided by a person: see ``Journals/unresolved(in:)`` and
/// ``Journals/decided(in:)``.
public struct UnresolvedWork: Sendable, Hashable, CustomStringConvertible {
    /// The name of the journal.
    public let journal: String

    /// The name of the node, the element or the compensation, as in `detail[3]`.
    public let name: String

    /// The prefix of the idempotency keys of the work, by which the other side may know it.
    public let idempotencyKey: String?

    /// True if the work was marked as done, false if as not done; `nil` if nobody has decided.
    public let isMarkedDone: Bool?

    let path: String

    static func list(
        _ journal: String,
        _ records: [String: JournalRecord],
        where isWanted: (JournalRecord) -> Bool
    ) -> [UnresolvedWork] {
        records.filter { isWanted($0.value) }
            .map { path, record in
                UnresolvedWork(
                    journal: journal,
                    name: record.name,
                    idempotencyKey: record.idempotencyKey,
                    isMarkedDone: record.decision.map { $0 == .done },
                    path: path
                )
            }
            .sorted { ($0.name, $0.path) < ($1.name, $1.path) }
    }

    /// A short description of the work.
    public var description: String {
        let key = idempotencyKey.map { ", key \($0)" } ?? ""
        let decision = isMarkedDone.map { $0 ? ", marked as done" : ", marked as not done" } ?? ""
        return MessageText.of("'\(name)' of the run '\(journal)'\(key)\(decision)")
    }
}
