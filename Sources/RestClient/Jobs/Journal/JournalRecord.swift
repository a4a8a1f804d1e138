// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the journal keeps about a node beside its result.
struct JournalRecord: Codable, Sendable, Equatable {
    enum State: String, Codable, Sendable {
        /// An unsafe request of the node goes out, or did.
        case started
        /// The node has its result.
        case finished
    }

    /// The version of the form that is written; others are not read.
    static let currentVersion = 1

    var version = Self.currentVersion
    var state: State
    /// The digest of the node's name and of everything that it is made from.
    var inputs: String
    /// The digest of the encoded result.
    var output: String?
    /// The codec that the result was stored with.
    var codec: String?
    /// What the unsafe request carries.
    var idempotencyKey: String?
}

/// What the journal keeps about a run.
struct JournalHead: Codable, Sendable, Equatable {
    enum Status: String, Codable, Sendable {
        case running, succeeded, failed
    }

    var version = JournalRecord.currentVersion
    var graph: String
    var status: Status
    var startedAt: Date
}

/// Reads what an earlier run wrote: only the version is read of what has another one.
enum JournalCoding {
    private struct Version: Decodable {
        var version: Int
    }

    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data, _ place: String) throws -> Value {
        let decoder = JSONDecoder()
        guard let version = try? decoder.decode(Version.self, from: data).version else {
            throw damaged(place, "it is cut off or altered")
        }
        guard version == JournalRecord.currentVersion else {
            throw RestClientError(
                .journalUnreadable,
                "the journal's record of \(place) has version \(version), and this release reads "
                    + "\(JournalRecord.currentVersion); nothing was changed. Go on with the release that wrote it, or drop "
                    + "the journal"
            )
        }
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw damaged(place, DecodingReason.describe(error), error)
        }
    }

    static func damaged(_ place: String, _ reason: String, _ underlying: (any Error)? = nil) -> RestClientError {
        RestClientError(
            .journalUnreadable,
            "the journal's record of \(place) cannot be read: \(reason); nothing was changed. Drop the journal to begin anew",
            underlying: underlying
        )
    }
}
