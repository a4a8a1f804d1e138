// SPDX-License-Identifier: MIT

import DequeModule

/// Decides which request holds which keys, first come, first served: a pure value, without locks or tasks; a request
/// takes its keys in the order of their names, so that no two requests can wait for each other.
struct MutexKeysStateMachine {
    typealias RequestID = UInt64

    /// A key: its name, and the request within which it is scoped; zero at the outermost level.
    struct Key: Hashable, Sendable {
        let name: String
        var scope: RequestID = 0
    }

    private struct Request {
        let keys: [Key]
        var held = 0

        var isGranted: Bool { held == keys.count }
    }

    private var requests: [RequestID: Request] = [:]
    private var queues: [Key: Deque<RequestID>] = [:]
    private var lastID: RequestID = 0

    var heldCount: Int { queues.count }

    var waiterCount: Int { requests.values.count { !$0.isGranted } }

    mutating func request(_ keys: some Sequence<Key>) -> (id: RequestID, isGranted: Bool) {
        lastID += 1
        requests[lastID] = Request(keys: keys.sorted { ($0.name, $0.scope) < ($1.name, $1.scope) })
        return (lastID, advance(lastID))
    }

    /// Releases the keys of a request; returns the requests that hold all of their keys now.
    mutating func release(_ id: RequestID) -> [RequestID] {
        guard let request = requests.removeValue(forKey: id) else {
            return []
        }
        if !request.isGranted {
            queues[request.keys[request.held]]?.removeAll { $0 == id }
        }
        return request.keys.prefix(request.held).compactMap { passOn($0) }
    }

    /// Removes a request; returns the requests that hold all of their keys now, or `nil` if it was already granted.
    mutating func cancel(_ id: RequestID) -> [RequestID]? {
        requests[id]?.isGranted == false ? release(id) : nil
    }

    /// Grants a key to the next request; returns that request if it holds all of its keys now.
    private mutating func passOn(_ key: Key) -> RequestID? {
        guard let next = queues[key]?.popFirst() else {
            queues[key] = nil
            return nil
        }
        requests[next]?.held += 1
        return advance(next) ? next : nil
    }

    /// Takes free keys, and queues for the first one that is not free; returns true if the request holds all.
    private mutating func advance(_ id: RequestID) -> Bool {
        while let request = requests[id], !request.isGranted {
            let key = request.keys[request.held]
            guard queues[key] == nil else {
                queues[key]?.append(id)
                return false
            }
            queues[key] = []
            requests[id]?.held += 1
        }
        return true
    }
}
