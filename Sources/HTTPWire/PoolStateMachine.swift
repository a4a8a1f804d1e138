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
        let birth: NIODeadline
        let since: NIODeadline
    }

    /// A connection that carries many exchanges at once.
    private struct Shared {
        let connection: Connection
        let birth: NIODeadline
        /// The maximum number of exchanges, as its server says.
        var limit: Int
        var count = 0
        /// The instant since which it carries none.
        var since: NIODeadline

        var hasRoom: Bool { count < limit }
        /// True if all exchanges that the server allows are under way; one that allows none wants to be left alone.
        var isUsedUp: Bool { limit > 0 && count >= limit }
    }

    /// The number of exchanges that a connection of the origin carries at once, as far as its connections have shown.
    private enum Manner {
        case unknown, one, many
    }

    private let limit: Int
    private let sharedLimit: Int
    /// True if a connection may turn out to carry many exchanges at once.
    private(set) var mayShare: Bool
    private var manner = Manner.unknown
    /// The number of exchanges that the server allowed on a connection last; `nil` if none has said so.
    private var allowance: Int?
    private let idleTimeout: TimeAmount
    private let maximumAge: TimeAmount?
    private var isClosed = false
    private var idle: [Idle] = []
    /// The connections for many exchanges that take further ones, in the order in which they are used.
    private var shared: [Shared] = []
    /// The connections that are open, in use or not.
    private(set) var openCount = 0
    private(set) var connectingCount = 0
    private(set) var waitingCount = 0
    /// The waiters in order; one that was withdrawn leaves a gap.
    private var queue: Deque<Waiter?> = []
    private var firstID = 0
    /// The instant of the next sweep; an alarm that was set for a later one counts for nothing.
    private var alarm: NIODeadline?

    /// Creates the pool of an origin.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of connections that are open or being made.
    ///   - sharedLimit: The maximum number of connections that carry many exchanges at once; 0 if none does. Unless it
    ///     is 0, one connection is made alone until it is known how many exchanges it carries.
    ///   - idleTimeout: The time for which an unused connection is kept.
    ///   - maximumAge: The maximum age of a connection when an exchange begins; `nil` for any age. A new one carries
    ///     its first exchange in any case.
    init(limit: Int, sharedLimit: Int = 0, idleTimeout: TimeAmount, maximumAge: TimeAmount? = nil) {
        self.limit = max(1, limit)
        self.sharedLimit = sharedLimit
        mayShare = sharedLimit > 0
        self.idleTimeout = idleTimeout
        self.maximumAge = maximumAge
    }

    /// The connections that are open and unused.
    var idleCount: Int { idle.count }

    /// A Boolean value that is true if nothing of the pool is open, under way or waited for.
    var isEmpty: Bool { openCount == 0 && connectingCount == 0 && waitingCount == 0 }

    // MARK: - Exchanges

    /// Takes an exchange that needs a connection.
    mutating func acquire(_ waiter: @autoclosure () -> Waiter, at now: @autoclosure () -> NIODeadline) -> Acquisition {
        guard !isClosed else {
            return .refuse
        }
        if let connection = takeShared(at: now()) ?? takeIdle(at: now()) {
            return .use(connection)
        }
        queue.append(waiter())
        waitingCount += 1
        return .wait(firstID + queue.count - 1, connects: takeConnects())
    }

    private mutating func takeShared(at now: @autoclosure () -> NIODeadline) -> Connection? {
        guard !shared.isEmpty else {
            return nil
        }
        if maximumAge != nil {
            dropOldShared(at: now())
        }
        guard let place = shared.firstIndex(where: \.hasRoom) else {
            return nil
        }
        shared[place].count += 1
        return shared[place].connection
    }

    /// Gives those that are too old no further exchanges; the unused ones are left to the sweep.
    private mutating func dropOldShared(at now: NIODeadline) {
        let old = shared.filter { isTooOld($0.birth, at: now) }
        guard !old.isEmpty else {
            return
        }
        shared = shared.filter { !isTooOld($0.birth, at: now) }
        for entry in old where entry.count == 0 {
            idle.append(Idle(connection: entry.connection, birth: entry.birth, since: entry.since))
        }
    }

    /// Returns the connection that was used last, of those that are not too old: these are left to the sweep.
    private mutating func takeIdle(at now: @autoclosure () -> NIODeadline) -> Connection? {
        guard maximumAge != nil, !idle.isEmpty else {
            return idle.popLast()?.connection
        }
        let now = now()
        return idle.lastIndex { !isTooOld($0.birth, at: now) }.map { idle.remove(at: $0).connection }
    }

    private func isTooOld(_ birth: NIODeadline, at now: NIODeadline) -> Bool {
        maximumAge.map { birth + $0 <= now } ?? false
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

    // MARK: - Shared connections

    /// Takes a connection that was made, and carries many exchanges at once.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - limit: The maximum number of exchanges until the server says otherwise, unless another connection knows.
    ///   - now: The present.
    /// - Returns: The exchanges that it is to carry at once, or `nil` if it is to be closed, as there are enough; and
    ///   how many more connections to make.
    mutating func connected(
        _ connection: Connection,
        limit: Int,
        at now: NIODeadline
    ) -> (next: [Waiter]?, connects: Int) {
        connectingCount -= 1
        guard !isClosed, mayShare, shared.count < sharedLimit else {
            return (nil, takeConnects())
        }
        manner = .many
        openCount += 1
        shared.append(Shared(connection: connection, birth: now, limit: allowance ?? limit, since: now))
        return (serve(at: shared.count - 1), takeConnects())
    }

    /// Takes away as many waiters as a shared connection has room for.
    private mutating func serve(at place: Int) -> [Waiter] {
        var waiters: [Waiter] = []
        while shared[place].hasRoom, let waiter = nextWaiter() {
            shared[place].count += 1
            waiters.append(waiter)
        }
        return waiters
    }

    private func place(of connection: Connection) -> Int? {
        shared.firstIndex { $0.connection === connection }
    }

    /// Takes the end of one exchange of a connection for many.
    ///
    /// - Returns: The exchanges that it is to carry next, and the instant at which the pool is to be swept, if there is
    ///   one; `nil` if the connection is to be closed once it carries none.
    mutating func released(
        _ connection: Connection,
        at now: @autoclosure () -> NIODeadline
    ) -> (next: [Waiter], alarm: NIODeadline?)? {
        guard !isClosed, let place = place(of: connection) else {
            return nil
        }
        shared[place].count -= 1
        guard maximumAge == nil || !isTooOld(shared[place].birth, at: now()) else {
            shared.remove(at: place)
            return nil
        }
        let next = serve(at: place)
        guard shared[place].count == 0 else {
            return (next, nil)
        }
        shared[place].since = now()
        return (next, expiry(of: shared[place]).flatMap { takeAlarm(at: $0) })
    }

    /// Takes another number of exchanges that a connection may carry at once.
    ///
    /// - Returns: The exchanges that it is to carry now, and how many more connections to make.
    mutating func resized(_ connection: Connection, limit: Int) -> (next: [Waiter], connects: Int) {
        guard let place = place(of: connection) else {
            return ([], 0)
        }
        shared[place].limit = limit
        allowance = limit
        return (serve(at: place), takeConnects())
    }

    /// Takes the news that a connection carries no further exchanges, although those under way go on.
    ///
    /// - Returns: The number of connections to make in its place.
    mutating func retired(_ connection: Connection) -> Int {
        if let place = place(of: connection) {
            shared.remove(at: place)
        }
        return takeConnects()
    }

    /// Takes the server's word that it wants connections for one exchange at a time, from now on.
    mutating func requireOne() {
        mayShare = false
        manner = .one
    }

    /// The instant at which a connection for many exchanges has been unused for long; `nil` if it is in use.
    private func expiry(of entry: Shared) -> NIODeadline? {
        guard entry.count == 0 else {
            return nil
        }
        let end = entry.since + idleTimeout
        return maximumAge.map { min(end, entry.birth + $0) } ?? end
    }

    // MARK: - Connections

    /// Returns how many connections to make for the waiters that have none on its way; they count as under way.
    private mutating func takeConnects() -> Int {
        guard !isClosed else {
            return 0
        }
        guard shared.isEmpty || shared.count < sharedLimit && shared.allSatisfy(\.isUsedUp) else {
            return 0
        }
        // One at a time, as each may turn out to have room for all that wait.
        let limit = mayShare && manner != .one ? min(limit, openCount + 1) : limit
        let room = limit - connectingCount - openCount
        let count = max(0, min(waitingCount - connectingCount, room))
        connectingCount += count
        return count
    }

    /// Forgets what the connections of the origin have shown with the last of them.
    private mutating func forgetManner() {
        if openCount == 0, connectingCount == 0, waitingCount == 0 {
            manner = .unknown
            allowance = nil
        }
    }

    /// Takes a connection that was made.
    ///
    /// - Returns: Its use, and how many more connections to make.
    mutating func connected(_ connection: Connection, at now: NIODeadline) -> (use: Release, connects: Int) {
        connectingCount -= 1
        guard !isClosed else {
            return (.close, 0)
        }
        manner = .one
        openCount += 1
        let use = place(connection, born: now, at: now)
        return (use, takeConnects())
    }

    /// Takes the failure to make a connection.
    ///
    /// - Returns: The exchanges that must be told, and the number of further connections to make.
    mutating func connectFailed() -> (failed: Waiter?, connects: Int) {
        connectingCount -= 1
        let failed = waitingCount > connectingCount ? nextWaiter() : nil
        // The others need not fail one after the other.
        manner = waitingCount > 0 ? .one : manner
        forgetManner()
        return (failed, takeConnects())
    }

    /// Takes a connection whose exchange has ended and that can carry another one.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - birth: The instant at which it was made.
    ///   - now: The present.
    /// - Returns: Its use; ``closed(_:)`` has to follow if it is to be closed.
    mutating func release(_ connection: Connection, born birth: NIODeadline, at now: NIODeadline) -> Release {
        isClosed || isTooOld(birth, at: now) ? .close : place(connection, born: birth, at: now)
    }

    private mutating func place(_ connection: Connection, born birth: NIODeadline, at now: NIODeadline) -> Release {
        if let waiter = nextWaiter() {
            return .serve(waiter)
        }
        let unused = Idle(connection: connection, birth: birth, since: now)
        idle.append(unused)
        return .keep(alarm: takeAlarm(at: expiry(of: unused)))
    }

    /// Returns when the pool is to be swept, unless that is set already for no later.
    private mutating func takeAlarm(at expiry: NIODeadline) -> NIODeadline? {
        if let alarm, alarm <= expiry {
            return nil
        }
        alarm = expiry
        return expiry
    }

    private func expiry(of unused: Idle) -> NIODeadline {
        let end = unused.since + idleTimeout
        return maximumAge.map { min(end, unused.birth + $0) } ?? end
    }

    /// Takes the end of a connection.
    ///
    /// - Returns: The number of connections to make in its place.
    mutating func closed(_ connection: Connection) -> Int {
        openCount -= 1
        forgetManner()
        if let place = idle.lastIndex(where: { $0.connection === connection }) {
            idle.remove(at: place)
        }
        return retired(connection)
    }

    /// Takes away the connections that nobody has used for long, and those that are too old.
    ///
    /// - Returns: Those to close, and when to ask again.
    mutating func sweep(at now: NIODeadline) -> (expired: [Connection], alarm: NIODeadline?) {
        guard let due = alarm, due <= now else {
            return ([], nil)
        }
        var expired = idle.filter { expiry(of: $0) <= now }.map(\.connection)
        idle = idle.filter { expiry(of: $0) > now }
        let unused = shared.filter { expiry(of: $0).map { $0 <= now } ?? false }.map(\.connection)
        expired += unused
        shared.removeAll { entry in unused.contains { $0 === entry.connection } }
        alarm = (idle.map { expiry(of: $0) } + shared.compactMap { expiry(of: $0) }).min()
        return (expired, alarm)
    }

    /// Closes the pool.
    ///
    /// - Returns: The unused connections, to be closed, and the waiters, to be told.
    mutating func close() -> (idle: [Connection], waiters: [Waiter]) {
        isClosed = true
        defer {
            idle = []
            shared = []
        }
        return (idle.map(\.connection) + shared.map(\.connection), allWaiters())
    }
}

extension PoolStateMachine.Acquisition: Sendable where Connection: Sendable, Waiter: Sendable {}
extension PoolStateMachine.Release: Sendable where Connection: Sendable, Waiter: Sendable {}
