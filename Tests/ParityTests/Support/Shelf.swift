// SPDX-License-Identifier: MIT

import RestClient

/// A storage of a program's own, as a dictionary; it may be broken.
actor Shelf: CacheBackend {
    struct Broken: Error {}

    private var entries: [String: CacheEntry] = [:]
    private let isBroken: Bool

    nonisolated var isShared: Bool { false }

    /// The number of entries.
    var count: Int { entries.count }

    init(isBroken: Bool = false) {
        self.isBroken = isBroken
    }

    func entry(for key: String) throws -> CacheEntry? {
        try check()
        return entries[key]
    }

    func store(_ entry: CacheEntry, for key: String) throws {
        try check()
        entries[key] = entry
    }

    func remove(_ key: String) throws -> Bool {
        try check()
        return entries.removeValue(forKey: key) != nil
    }

    func keys(prefix: String) throws -> [String] {
        try check()
        return entries.keys.filter { $0.hasPrefix(prefix) }
    }

    private func check() throws {
        if isBroken {
            throw Broken()
        }
    }
}
