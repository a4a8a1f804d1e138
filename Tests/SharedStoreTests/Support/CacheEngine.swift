// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// The engine beneath a cache under test.
enum CacheEngine: CaseIterable, CustomTestStringConvertible {
    case memory
    case file
    case fileWithoutMemoryTier

    var testDescription: String { "\(self)" }

    func make(
        in folder: TemporaryFolder,
        _ configuration: ExpiringCache.Configuration = .init()
    ) throws -> ExpiringCache {
        var configuration = configuration
        switch self {
        case .memory: return ExpiringCache(configuration: configuration)
        case .file: break
        case .fileWithoutMemoryTier: configuration.memoryByteLimit = 0
        }
        return try ExpiringCache(file: folder.file(), configuration: configuration)
    }
}

extension ExpiringCache {
    /// The keys of all entries, in the order of their bytes.
    func keys(prefix: String = "", tag: String? = nil) async throws(StoreError) -> [String] {
        try await entries(prefix: prefix, tag: tag, limit: .max).map(\.key)
    }
}
