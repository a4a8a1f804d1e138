// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension JournalRows {
    /// Returns the step that stores the result of a node.
    static func putResult(
        _ bytes: Data,
        _ record: JournalRecord,
        of path: String,
        in journal: RunJournal,
        at date: Date
    ) throws -> RowStep {
        let key = nodes(journal.name) + path
        let value = try journal.codec.encode(bytes, context: context(key, record))
        return try put(key, record, value: value, at: date)
    }

    /// Returns the verified bytes of a stored result.
    func result(_ record: JournalRecord, of path: String, in journal: RunJournal) async throws -> Data {
        let key = Self.nodes(journal.name) + path
        guard let value = try await value(key) else {
            throw JournalCoding.damaged(record, "it is missing")
        }
        guard record.codec == journal.codec.identifier else {
            throw JournalCoding.damaged(
                record,
                "it was stored with the codec '\(record.codec ?? "")', and the journal has '\(journal.codec.identifier)'"
            )
        }
        do {
            let bytes = try journal.codec.decode(value, context: Self.context(key, record))
            guard ResultCoding.digest(bytes) == record.output else {
                throw JournalCoding.damaged(record, "its result is truncated or altered")
            }
            return bytes
        } catch let error as StoreError {
            throw JournalCoding.damaged(record, error.reason, error)
        }
    }

    /// Returns the data to which a sealed result is bound, so that it cannot be used for another node or other inputs.
    private static func context(_ key: String, _ record: JournalRecord) -> CodecContext {
        CodecContext(name: key, header: Data(record.inputs.utf8))
    }
}
