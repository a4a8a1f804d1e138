// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The origin of what the work of a node gets, in a run with a journal: the real thing, or what the code that stands in
/// for it names with a word; invented results must not become part of a run for real.
package final class WorkOrigin: Sendable {
    /// The work of the current task: that of a node, and of the nodes around it.
    private static let scopes = TaskScope<WorkOrigin>()

    private let noted: Mutex<String?>

    init(_ word: String? = nil) {
        noted = Mutex(word)
    }

    var word: String? { noted.withLock { $0 } }

    func trace<Value: Sendable>(_ work: () async throws -> Value) async rethrows -> Value {
        try await Self.scopes.open(self, operation: work)
    }

    package static func note(_ word: String) {
        for origin in scopes.contents {
            origin.noted.withLock { $0 = $0 ?? word }
        }
    }

    // MARK: - Resuming

    /// Checks that a run may resume another one: neither may the real thing rest on what stood in for it, nor the other
    /// way round.
    static func check(
        _ records: [String: JournalRecord],
        of journal: String,
        _ earlier: String?,
        for current: String?
    ) throws(JobGraphError) {
        let advice =
            "drop it with journals.drop(\"\(journal)\"), repeat the node and what follows with journals.fork, or use "
            + "another name"
        if current == nil,
            let (node, word) = records.values.compactMap({ record in record.origin.map { (record.name, $0) } })
                .min(by: <)
        {
            throw JobGraphError(
                .journalOfOtherOrigin,
                "the journal '\(journal)' has work of '\(node)' that was done with \(word), and this run is without; "
                    + advice + ", or run with \(word) again"
            )
        }
        if let current, earlier == nil, let node = records.values.map(\.name).min() {
            throw JobGraphError(
                .journalOfOtherOrigin,
                "the journal '\(journal)' is that of a run without \(current), which did '\(node)' and has not ended, and "
                    + "this run is with \(current); use another name, so that the other run can be resumed"
            )
        }
    }
}
