// SPDX-License-Identifier: MIT

import Synchronization

extension SharedData {
    func follow(_ backing: any Backing) {
        guard backing.isShared else {
            return
        }
        let watch = backing.observeForeignCommits { [weak self] in self?.catchUp() }
        state.withLock { state in
            state.watch = watch
            state.isWatching = watch != nil
        }
        // Applies commits between opening the file and observing it.
        takeInFeed()
    }

    /// Applies other processes' commits now, instead of when they are detected.
    ///
    /// Call it before a read that must not lag behind another process by a few milliseconds.
    ///
    /// Observers are called before it returns, unless another call is delivering changes: then that one delivers these
    /// as well.
    public func catchUp() {
        takeInFeed()
        // Called with no lock held, because observers may call back.
        delivery.deliver()
    }

    private func takeInFeed() {
        feedTurn.withLock { _ in
            var hasMore = true
            while hasMore { hasMore = takeInPart() }
        }
    }

    /// Applies a part of the feed; returns `true` if there is more.
    private func takeInPart() -> Bool {
        let (backing, position) = state.withLock { ($0.backing, $0.feedPosition) }
        guard backing.isShared, let feed = try? backing.feedNow(of: .shared, after: position) else {
            return false
        }
        if feed.hasGap {
            takeInEverything(backing)
        } else {
            var newest: [RowKey: RowFeedEntry] = [:]
            var order: [RowKey] = []
            for entry in feed.entries where !entry.isFromHere {
                let key = RowKey(entry.key)
                if newest.updateValue(entry, forKey: key) == nil { order.append(key) }
            }
            for key in order {
                if let entry = newest[key] { takeIn(key, version: entry.version, backing) }
            }
        }
        state.withLock { state in
            state.feedPosition = max(state.feedPosition, feed.position)
            // If there is more, it may belong to the same commit.
            if !feed.hasMore, let last = feed.entries.last {
                state.feedVersion = max(state.feedVersion, last.version)
            }
        }
        return feed.hasMore && !feed.hasGap
    }

    /// Forgets a value that another process changed, and queues the notifications.
    ///
    /// `version` is that of the change, if the value was removed or cannot be read; `former` that since which any
    /// value may have changed, or `nil` if the feed names this one.
    private func takeIn(_ key: RowKey, version: UInt64, after former: UInt64? = nil, _ backing: any Backing) {
        var row: Row?
        do throws(StoreError) {
            row = try backing.rowNow(key.string, in: .shared)?.withEarlierExpiry()
        } catch {
            // The next read throws the error.
            state.withLock { state in
                guard version > state.loaded[key]?.version ?? 0 else {
                    return
                }
                state.generation += 1
                state.loaded[key] = Loaded(version: version, content: .unknown)
            }
            return
        }
        if let former {
            // Observers know no value that memory does not know.
            let isUnchanged =
                row.map { $0.version <= former } ?? state.withLock { $0.loaded[key]?.isAbsent ?? true }
            if isUnchanged { return }
        }
        let version = row?.version ?? version
        if row?.attributes.hasExpired(at: configuration.now()) == true { row = nil }
        notifyOfForeign(key, row, version: version)
    }

    /// Forgets a value that another process wrote, and queues the notifications, unless a newer one is known.
    func notifyOfForeign(_ key: RowKey, _ row: Row?, version: UInt64) {
        state.withLock { state in
            let known = state.loaded[key]
            // What a read found ahead of the feed has not reached the observers.
            guard (known?.version ?? 0) < version || known?.isAheadOfFeed == true else {
                return
            }
            state.generation += 1
            if let known, known.version >= version {
                // A later commit is still ahead, because the feed reports it as well.
                if known.version == version { state.loaded[key]?.isAheadOfFeed = false }
            } else {
                state.loaded[key] = Loaded(version: version, content: row == nil ? .absent : .unknown)
            }
            notify(key, .known(row.map { _ in true }), from: row, version: version, origin: .anotherProcess, &state)
        }
    }

    /// Looks at all values, after more changes than the feed keeps.
    private func takeInEverything(_ backing: any Backing) {
        let version = (try? backing.usageNow(of: .shared))?.version ?? 0
        let names = (try? names()) ?? []
        let (keys, former) = state.withLock { state in
            state.generation += 1
            let keys = Set(state.loaded.keys).union(state.observers.keys).union(names.map(RowKey.init))
            // A version above the last one comes from a damaged feed.
            return (keys.sorted(), state.feedVersion <= version ? state.feedVersion : 0)
        }
        for key in keys { takeIn(key, version: version, after: former, backing) }
        state.withLock { $0.feedVersion = max($0.feedVersion, version) }
    }
}
