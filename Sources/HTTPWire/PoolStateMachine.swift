// SPDX-License-Identifier: MIT

import DequeModule
import NIOCore

/// Decides which connection of one origin carries which exchange: no lock, clock or I/O.
///
/// The connection that was used last is used first, so that those which a smaller load does not need grow old and
/// close. Exchanges that find none wait in the order in which they came; whichever connection is ready first serves the
/// first of them.
struct PoolStateMachine<Connection: AnyObject, Waiter> {
    /// The name of a waiter, to withdraw it by.
    typealias WaiterID = Int

    /// The way in which an exchange gets its connection.
    enum Acquisition {
        case use(Connection)
        /// Wait, and make so many connections meanwhile.
        case wait(WaiterID, connects: Int)
        /// The pool is closed.
        case refuse
    }

    /// The further use of a connection that is free.
    enum Release {
        case serve(Waiter)
        /// It is kept; at the instant, if there is one, the pool is to be swept.
        case keep(alarm: NIODeadline?)
        case close
    }

    private struct Idle {
        let connection: Connection
        let since: NIODeadline
    }

    private let limit: Int
    private let idleTimeout: TimeAmount
    private var isClosed = false
    private var idle: [Idle] = []
    /// The connections that are open, in use or not.
    private(set) var openCount = 0
    private(set) var connectingCount = 0
    private(set) var waitingCount = 0
    /// The waiters in order; one that was withdrawn leaves a gap.
    private var queue: Deque<Waiter?> = []
    private var firstID = 0
    private var hasAlarm = false

    /// Creates the pool of an origin.
    ///
    /// - Parameters:
    ///   - limit: How many connections may be open or under way.
    ///   - idleTimeout: How long an unused connection is kept.
    init(limit: Int, idleTimeout: TimeAmount) {
        self.limit = max(1, limit)
        self.idleTimeout = idleTimeout
    }

    /// The connections that are open and unused.
    var idleCount: Int { idle.count }

    /// A Boolean value that is true if nothing of the pool is open, under way or waited for.
    var isEmpty: Bool { openCount == 0 && connectingCount == 0 && waitingCount == 0 }

    // MARK: - Exchanges

    /// Takes an exchange that needs a connection.
    mutating func acquire(_ waiter: @autoclosure () -> Waiter) -> Acquisition {
        guard !isClosed else {
            return .refuse
        }
        if let last = idle.popLast() {
            return .use(last.connection)
        }
        queue.append(waiter())
        waitingCount += 1
        return .wait(firstID + queue.count - 1, connects: takeConnects())
    }

    /// Takes the wish of a waiter to leave.
    mutating func withdraw(_ id: WaiterID) {
        guard id >= firstID, id - firstID < queue.count, queue[id - firstID] != nil else {
            return
        }
        queue[id - firstID] = nil
        waitingCount -= 1
        dropGaps()
    }

    private mutating func nextWaiter() -> Waiter? {
        dropGaps()
        guard let waiter = queue.popFirst() else {
            return nil
        }
        firstID += 1
        waitingCount -= 1
        dropGaps()
        return waiter
    }

    private mutating func dropGaps() {
        while let first = queue.first, first == nil {
            queue.removeFirst()
            firstID += 1
        }
    }

    private mutating func allWaiters() -> [Waiter] {
        var waiters: [Waiter] = []
        while let waiter = nextWaiter() {
            waiters.append(waiter)
        }
        return waiters
    }

    // MARK: - Connections

    /// Returns how many connections to make for the waiters that have none on its way; they count as under way.
    private mutating func takeConnects() -> Int {
        let room = limit - connectingCount - openCount
        let count = isClosed ? 0 : max(0, min(waitingCount - connectingCount, room))
        connectingCount += count
        return count
    }

    /// Takes a connection that was made.
    ///
    /// - Returns: Its use, and how many more connections to make.
    mutating func connected(_ connection: Connection, at now: NIODeadline) -> (use: Release, connects: Int) {
        connectingCount -= 1
        guard !isClosed else {
            return (.close, 0)
        }
        openCount += 1
        let use = release(connection, at: now)
        return (use, takeConnects())
    }

    /// Takes the failure to make a connection.
    ///
    /// - Returns: Who must be told, and how many more connections to make.
    mutating func connectFailed() -> (failed: Waiter?, connects: Int) {
        connectingCount -= 1
        let failed = waitingCount > connectingCount ? nextWaiter() : nil
        return (failed, takeConnects())
    }

    /// Takes a connection whose exchange has ended and that can carry another one.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - now: The present.
    /// - Returns: Its use; ``closed(_:)`` has to follow if it is to be closed.
    mutating func release(_ connection: Connection, at now: NIODeadline) -> Release {
        if isClosed {
            return .close
        }
        if let waiter = nextWaiter() {
            return .serve(waiter)
        }
        idle.append(Idle(connection: connection, since: now))
        guard !hasAlarm else {
            return .keep(alarm: nil)
        }
        hasAlarm = true
        return .keep(alarm: now + idleTimeout)
    }

    /// Takes the end of a connection.
    ///
    /// - Returns: How many connections to make in its place.
    mutating func closed(_ connection: Connection) -> Int {
        openCount -= 1
        if let place = idle.lastIndex(where: { $0.connection === connection }) {
            idle.remove(at: place)
        }
        return takeConnects()
    }

    /// Takes away the connections that nobody has used for long.
    ///
    /// - Returns: Those to close, and when to ask again.
    mutating func sweep(at now: NIODeadline) -> (expired: [Connection], alarm: NIODeadline?) {
        let count = idle.prefix { $0.since + idleTimeout <= now }.count
        let expired = idle.prefix(count).map(\.connection)
        idle.removeFirst(count)
        hasAlarm = !idle.isEmpty
        return (expired, idle.first.map { $0.since + idleTimeout })
    }

    /// Closes the pool.
    ///
    /// - Returns: The unused connections, to be closed, and the waiters, to be told.
    mutating func close() -> (idle: [Connection], waiters: [Waiter]) {
        isClosed = true
        defer { idle = [] }
        return (idle.map(\.connection), allWaiters())
    }
}

extension PoolStateMachine.Acquisition: Sendable where Connection: Sendable, Waiter: Sendable {}
extension PoolStateMachine.Release: Sendable where Connection: Sendable, Waiter: Sendable {}
