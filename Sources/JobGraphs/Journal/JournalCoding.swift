// SPDX-License-Identifier: MIT

import RestEssentials

/// Encodes and decodes the records of a journal; of a record with another version, only the version is read.
enum JournalCoding {
    /// The version of the format that is written; other versions are not read.
    static let version = 1

    private struct Version: Decodable {
        var version: Int
    }

    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(value)
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        _ place: String
    ) throws(JobGraphError) -> Value {
        let decoder = JSONDecoder()
        guard let found = try? decoder.decode(Version.self, from: data).version else {
            throw damaged(place, "it is truncated or altered")
        }
        guard found == version else {
            throw JobGraphError(
                .journalUnreadable,
                "the journal's record of \(place) has version \(found), and this release reads \(version); nothing was "
                    + "changed. Use the release that wrote it, or drop the journal"
            )
        }
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw damaged(place, DecodingReason.describe(error), error)
        }
    }

    static func damaged(
        _ record: JournalRecord,
        _ reason: String,
        _ underlying: (any Error)? = nil
    ) -> JobGraphError {
        let message =
            record.decision == .done
            ? "the result that journals.markDone provided for '\(record.name)' cannot be used: \(reason); nothing was "
                + "changed. Find it with journals.decided(in:), then call journals.markDone with another result, or "
                + "journals.markNotDone"
            : "the journal's result of '\(record.name)' cannot be used: \(reason); nothing was changed. Copy the journal "
                + "with journals.fork(_:as:of:from:) and run the graph with the copy, which repeats only this node and "
                + "those that depend on it; to drop the journal would repeat everything"
        return JobGraphError(.journalUnreadable, message, underlying: underlying)
    }

    static func damaged(_ place: String, _ reason: String, _ underlying: (any Error)? = nil) -> JobGraphError {
        JobGraphError(
            .journalUnreadable,
            "the journal's record of \(place) cannot be read: \(reason); nothing was changed. "
                + "Drop the journal to start over",
            underlying: underlying
        )
    }
}
