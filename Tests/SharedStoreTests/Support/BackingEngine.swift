// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// The engines that must keep the contract of ``Backing``.
enum BackingEngine: CaseIterable, CustomTestStringConvertible {
    case memory
    case sqlite

    var testDescription: String { "\(self)" }

    func make(in folder: TemporaryFolder) throws -> any Backing {
        switch self {
        case .memory: MemoryBacking()
        case .sqlite: try SQLiteBacking(file: folder.file().path, kind: .all)
        }
    }
}

extension RowStep {
    /// Writes a text, with the least there is to say about it.
    static func put(
        _ key: String,
        _ text: String,
        at seconds: Double = 0,
        expires: Double? = nil,
        tags: Set<String> = [],
        if condition: RowCondition = .any
    ) -> RowStep {
        .put(
            key: key,
            value: Data(text.utf8),
            attributes: RowAttributes(
                metadata: Data("meta".utf8),
                storedAt: Date(timeIntervalSince1970: seconds),
                expiresAt: expires.map { Date(timeIntervalSince1970: $0) },
                tags: tags
            ),
            condition: condition
        )
    }

    static func remove(_ key: String, if condition: RowCondition = .any) -> RowStep {
        .remove(key: key, condition: condition)
    }
}

extension RowCommit {
    var version: UInt64? {
        if case .committed(let version, _, _) = self { version } else { nil }
    }

    var existed: [Bool]? {
        if case .committed(_, let existed, _) = self { existed } else { nil }
    }
}
