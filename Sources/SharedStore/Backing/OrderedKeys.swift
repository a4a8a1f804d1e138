// SPDX-License-Identifier: MIT

/// The keys of a collection in the order of their bytes, for listings: a pure value.
///
/// It costs nothing before the first listing, which sorts all keys. Later listings merge in the keys that were inserted
/// since; keys that were removed stay until then, and are skipped.
struct OrderedKeys {
    /// The keys at the time of the last listing, sorted; `nil` before the first one.
    private var sorted: [RowKey]?
    /// The keys that were inserted since, in any order; some may be in `sorted`, too.
    private var inserted: [RowKey] = []
    private var removed = 0

    /// Records that a key was inserted into a collection of that many rows.
    mutating func insert(_ key: RowKey, count: Int) {
        guard sorted != nil else {
            return
        }
        inserted.append(key)
        forgetIfStale(count)
    }

    /// Records that a key was removed from a collection that has that many rows left.
    mutating func remove(count: Int) {
        guard sorted != nil else {
            return
        }
        removed += 1
        forgetIfStale(count)
    }

    /// Forgets the order once more keys have changed than there are: sorting again then costs no more than merging.
    private mutating func forgetIfStale(_ count: Int) {
        if inserted.count + removed > count {
            self = OrderedKeys()
        }
    }

    /// Returns the keys in order, from the first one that is not below a bound.
    ///
    /// Keys without a row may still be in the result.
    mutating func keys<Value>(from bound: RowKey, in rows: [RowKey: Value]) -> ArraySlice<RowKey> {
        let keys = upToDate(rows)
        sorted = keys
        inserted = []
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < bound {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return keys[low...]
    }

    private mutating func upToDate<Value>(_ rows: [RowKey: Value]) -> [RowKey] {
        guard let sorted else {
            removed = 0
            return rows.keys.sorted()
        }
        guard !inserted.isEmpty else {
            return sorted
        }
        removed = 0
        return Self.merged(sorted, inserted.sorted()).filter { rows[$0] != nil }
    }

    /// Returns the keys of two sorted lists in order, each once.
    private static func merged(_ left: [RowKey], _ right: [RowKey]) -> [RowKey] {
        var merged: [RowKey] = []
        merged.reserveCapacity(left.count + right.count)
        var (first, second) = (0, 0)
        while first < left.count || second < right.count {
            let isFirst = second == right.count || (first < left.count && left[first] < right[second])
            let key = isFirst ? left[first] : right[second]
            if isFirst {
                first += 1
            } else {
                second += 1
            }
            if merged.last != key {
                merged.append(key)
            }
        }
        return merged
    }
}
