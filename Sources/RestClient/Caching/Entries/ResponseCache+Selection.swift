// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension ResponseCache {
    func invalidate(_ selections: [CacheSelection]) async throws(StoreError) -> Int {
        var count = 0
        for selection in selections {
            count += try await invalidate(selection, at: now())
        }
        return count
    }

    func invalidate(_ selection: CacheSelection, at date: Date) async throws(StoreError) -> Int {
        let place = await beginInvalidating()
        var tag: String?
        if case .tag(let name) = selection.kind {
            tag = name
        }
        var count = 0
        for storage in stores(of: place) {
            count += try await Self.invalidate(in: storage, tag: tag, at: date) { info in
                Self.chooses(selection, info, place)
            }
        }
        return count
    }

    func remove(_ selection: CacheSelection) async throws(StoreError) -> Int {
        let place = await beginInvalidating()
        var count = 0
        for storage in stores(of: place) {
            let removed =
                switch selection.kind {
                case .all: try await storage.removeAll()
                case .tag(let tag): try await storage.removeAll(tag: tag)
                case .path, .matching: try await storage.removeAll { Self.chooses(selection, $0, place) }
                }
            count += removed
        }
        return count
    }

    /// Lists all responses: those in memory only, and the others, in the order of their keys.
    func list() async throws(StoreError) -> [CachedResponse] {
        let place = place
        var responses: [CachedResponse] = []
        for storage in stores(of: place) {
            responses += try await list(storage, of: place)
        }
        return responses
    }

    private func list(_ storage: ExpiringCache, of place: Place) async throws(StoreError) -> [CachedResponse] {
        var responses: [CachedResponse] = []
        var last: String?
        while true {
            let page = try await storage.entries(after: last, limit: 500)
            responses += page.compactMap { info in
                CachedResponse(info, secret: place.secret, isInMemory: storage === place.memory)
            }
            guard page.count == 500, let key = page.last?.key else {
                return responses
            }
            last = key
        }
    }

    private static func chooses(_ selection: CacheSelection, _ info: CacheEntryInfo, _ place: Place) -> Bool {
        switch selection.kind {
        case .all: true
        case .tag(let tag): info.tags.contains(tag)
        case .path(let prefix):
            CachedResponse(info, secret: place.secret).map { CacheSelection.path($0.path, beginsWith: prefix) } ?? false
        case .matching(let isChosen): CachedResponse(info, secret: place.secret).map(isChosen) ?? false
        }
    }
}
