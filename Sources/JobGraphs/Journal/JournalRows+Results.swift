// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension JournalRows {
    /// Returns the step that stores the result of a node.
    ///
    /// - Throws: ``JobGraphError`` when the result looks like a credential and the journal would not seal it.
    func putResult(
        _ bytes: Data,
        _ record: JournalRecord,
        of path: String,
        in journal: RunJournal,
        at date: Date
    ) throws -> RowStep {
        let key = Self.nodes(journal.name) + path
        try check(bytes, of: record.name, in: journal)
        let value = try journal.codec.encode(bytes, context: Self.context(key, record))
        return try Self.put(key, record, value: value, at: date)
    }

    private func check(_ bytes: Data, of name: String, in journal: RunJournal) throws(JobGraphError) {
        if !journal.codec.isSealed, let member = SecretMember.name(in: bytes, isSecret) {
            throw JobGraphError.secret("the member '\(member)' of the result of '\(name)'", in: journal.name)
        }
    }

    func encode(_ bytes: Data, of part: String, at path: JournalPath, in journal: RunJournal) throws -> Data {
        try check(bytes, of: path.name, in: journal)
        return try journal.codec.encode(bytes, context: Self.context(of: part, at: path.key, in: journal))
    }

    func decode(
        _ stored: JournalRecord.Part,
        of part: String,
        at path: String,
        in journal: RunJournal
    ) throws -> Data {
        try journal.codec.decode(stored.value, context: Self.context(of: part, at: path, in: journal))
    }

    private static func context(of part: String, at path: String, in journal: RunJournal) -> CodecContext {
        CodecContext(name: nodes(journal.name) + path, header: Data("once\(part)".utf8))
    }

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
