// SPDX-License-Identifier: MIT

package import RestEssentials

package enum RowStep: Sendable {
    case put(key: String, value: Data, attributes: RowAttributes, condition: RowCondition)
    /// Replaces a row's metadata and dates, but neither its value nor its tags. Does nothing if there is no row.
    case refresh(key: String, metadata: Data, storedAt: Date, expiresAt: Date?)
    /// Removes a row. Does nothing if there is none.
    case remove(key: String, condition: RowCondition)
    /// Checks a row and changes nothing.
    case check(key: String, condition: RowCondition)

    package var key: String {
        switch self {
        case .put(let key, _, _, _), .refresh(let key, _, _, _), .remove(let key, _), .check(let key, _): key
        }
    }

    package var condition: RowCondition {
        switch self {
        case .put(_, _, _, let condition), .remove(_, let condition), .check(_, let condition): condition
        case .refresh: .any
        }
    }
}

extension [RowStep] {
    /// The maximum size of a value, the same for every engine, so that values can move between them: SQLite's default
    /// limit for a row is 1,000,000,000 bytes.
    package static var valueLimit: Int { 999_000_000 }

    /// Refuses values that an engine could not take, before anything is copied or written.
    func checkSize(file: String?) throws(StoreError) {
        for case .put(let key, let value, let attributes, _) in self {
            let size = Swift.max(value.count, attributes.metadata.count)
            guard size > Self.valueLimit else {
                continue
            }
            throw StoreError(
                .entryTooLarge,
                "the value has \(size) bytes, a store takes up to \(Self.valueLimit)",
                file: file,
                key: key
            )
        }
    }
}

package enum RowCondition: Sendable, Equatable {
    case any
    case absent
    /// The row was last written by this commit.
    case version(UInt64)

    /// Returns the condition that a row is still written by a commit; `nil` for no row.
    static func unchanged(_ version: UInt64?) -> RowCondition { version.map { .version($0) } ?? .absent }

    func holds(for version: UInt64?) -> Bool { self == .any || self == .unchanged(version) }
}

package enum RowCommit: Sendable, Equatable {
    /// Everything was written, as this version. `existed` says for each step whether the row existed before.
    case committed(version: UInt64, existed: [Bool], usage: RowUsage)
    /// Nothing was written, because the conditions of these steps did not hold.
    case conflict(steps: [Int])
}

package enum RowSelection: Sendable, Equatable {
    case all
    case prefix(String)
    case tag(String)
    /// Rows whose expiry is at or before the date.
    case expired(by: Date)

    func holds(for key: RowKey, _ attributes: RowAttributes) -> Bool {
        switch self {
        case .all: true
        case .prefix(let prefix): key.hasPrefix(RowKey(prefix))
        case .tag(let tag): attributes.has(tag: tag)
        case .expired(let date): attributes.hasExpired(at: date)
        }
    }
}

package struct RowRemoval: Sendable, Equatable {
    package var rows: Int
    package var bytes: Int
    /// The keys of the rows, in collections that record their changes.
    package var keys: [String] = []
    package var usage: RowUsage

    mutating func add(_ next: RowRemoval) {
        rows += next.rows
        bytes += next.bytes
        keys += next.keys
        usage = next.usage
    }
}
