// SPDX-License-Identifier: MIT

package import RestEssentials

/// What must hold for a row before a transaction touches anything.
package enum RowCondition: Sendable, Equatable {
    /// Nothing.
    case any
    /// The row does not exist.
    case absent
    /// The row is still the one that this commit wrote.
    case version(UInt64)
}

/// One step of a transaction.
package enum RowStep: Sendable {
    /// Writes a row whole.
    case put(key: String, value: Data, attributes: RowAttributes, condition: RowCondition)
    /// Replaces what stands beside a row's value, and leaves the value and the tags alone; nothing when there is no row.
    case refresh(key: String, metadata: Data, storedAt: Date, expiresAt: Date?)
    /// Removes a row; nothing when there is none.
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

/// How a transaction ended.
package enum RowCommit: Sendable, Equatable {
    /// Everything was written, as this version; for each step whether the row existed before.
    case committed(version: UInt64, existed: [Bool], usage: RowUsage)
    /// A condition did not hold and nothing was written; the indices of the steps whose condition failed.
    case conflict(steps: [Int])
}

/// Which rows a bulk removal takes.
package enum RowSelection: Sendable, Equatable {
    case all
    case prefix(String)
    case tag(String)
    /// Rows whose expiry is at or before the date.
    case expired(by: Date)
}

/// What a bulk removal took.
package struct RowRemoval: Sendable, Equatable {
    package var rows: Int
    package var bytes: Int
    /// The keys of the rows, in collections that record their changes.
    package var keys: [String] = []
    package var usage: RowUsage

    /// Adds what a later transaction took.
    mutating func add(_ next: RowRemoval) {
        rows += next.rows
        bytes += next.bytes
        keys += next.keys
        usage = next.usage
    }
}

extension [RowStep] {
    /// The largest value, for every engine, so that what one takes can move to another: SQLite's own default limit for a
    /// row is 1,000,000,000 bytes.
    package static var valueLimit: Int { 999_000_000 }

    /// Refuses values that an engine could not take, before anything is copied or written.
    func checkSize(file: String?) throws(StoreError) {
        for case .put(let key, let value, let attributes, _) in self {
            let size = Swift.max(value.count, attributes.metadata.count)
            guard size > Self.valueLimit else { continue }
            throw StoreError(
                .entryTooLarge,
                "the value has \(size) bytes, a store takes up to \(Self.valueLimit)",
                file: file,
                key: key
            )
        }
    }
}
