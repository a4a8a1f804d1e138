// SPDX-License-Identifier: MIT

import SharedStore

extension ResponseCache {
    /// Invalidates the responses of a selection; returns their number.
    func invalidate(_ selection: CacheSelection) async throws(StoreError) -> Int {
        let place = beginInvalidatingAll()
        var tag: String?
        if case .tag(let name) = selection.kind {
            tag = name
        }
        return try await place.storage.updateAll(tag: tag) { info in
            guard Self.chooses(selection, info, place), let marked = StoredRow.invalidated(info.metadata) else {
                return false
            }
            info.metadata = marked
            return true
        }
    }

    /// Removes the responses of a selection; returns their number.
    func remove(_ selection: CacheSelection) async throws(StoreError) -> Int {
        let place = beginInvalidatingAll()
        return switch selection.kind {
        case .all: try await place.storage.removeAll()
        case .tag(let tag): try await place.storage.removeAll(tag: tag)
        case .path, .matching: try await place.storage.removeAll { Self.chooses(selection, $0, place) }
        }
    }

    /// Lists all responses, in the order of their keys.
    func list() async throws(StoreError) -> [CachedResponse] {
        let place = place
        var responses: [CachedResponse] = []
        var last: String?
        while true {
            let page = try await place.storage.entries(after: last, limit: 500)
            responses += page.compactMap { CachedResponse($0, secret: place.secret) }
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
