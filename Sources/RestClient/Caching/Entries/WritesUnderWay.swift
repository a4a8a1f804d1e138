// SPDX-License-Identifier: MIT

/// The writes of responses that are under way, and the invalidations that wait for them: a pure value.
///
/// An invalidation changes the rows that it finds. A row that is being written while its resource changes would escape
/// it, so an invalidation first waits for the writes of responses that were requested before it.
struct WritesUnderWay: Sendable {
    typealias WriteID = UInt64
    typealias InvalidationID = UInt64

    private var writes: [(id: WriteID, prefix: String)] = []
    private var awaited: [(id: InvalidationID, writes: Set<WriteID>)] = []
    private var last: UInt64 = 0

    /// Adds a write of a response of URLs with a prefix.
    mutating func begin(_ prefix: String) -> WriteID {
        last += 1
        writes.append((last, prefix))
        return last
    }

    /// Removes a write that has ended.
    ///
    /// - Returns: The invalidations for which it was the last write.
    mutating func end(_ write: WriteID) -> [InvalidationID] {
        writes.removeAll { $0.id == write }
        guard !awaited.isEmpty else {
            return []
        }
        for index in awaited.indices {
            awaited[index].writes.remove(write)
        }
        let ready = awaited.filter(\.writes.isEmpty).map(\.id)
        awaited.removeAll { $0.writes.isEmpty }
        return ready
    }

    /// Adds an invalidation.
    ///
    /// - Parameter prefix: The prefix of the URLs that are invalidated; `nil` for all.
    /// - Returns: The invalidation; `nil` if it need not wait.
    mutating func wait(for prefix: String?) -> InvalidationID? {
        let own = writes.filter { prefix == nil || $0.prefix == prefix }
        guard !own.isEmpty else {
            return nil
        }
        last += 1
        awaited.append((last, Set(own.map(\.id))))
        return last
    }
}
