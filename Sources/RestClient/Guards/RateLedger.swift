// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// The turns of the processes that share a directory, at servers with a shared rate limit.
///
/// The file is opened when the first call needs it. Turns are removed some time after they have ceased to matter.
final class RateLedger: Sendable {
    private static let fileName = "rate-limits.sqlite"
    /// The time for which turns stay in the file without need, in case clocks are set.
    private static let retention = Duration.seconds(7 * 86_400)
    /// The number of turns after which old ones are removed again.
    private static let removalInterval = 4_096

    private struct State {
        var directory: URL?
        var paces: SharedData?
        var turns = 0
    }

    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    func use(_ directory: URL) {
        state.withLock { $0 = State(directory: directory) }
    }

    /// Takes the turn of a call; `nil` if there is no directory to share.
    func take(
        _ key: GuardKey,
        _ limit: RateLimit,
        patience: Duration?,
        at now: Date
    ) throws(StoreError) -> SharedPace.Turn? {
        guard let paces = try paces() else {
            return nil
        }
        let isRemovalDue = state.withLock { state in
            state.turns = (state.turns + 1) % Self.removalInterval
            return state.turns == 0
        }
        if isRemovalDue {
            try paces.removeExpired()
        }
        // Longer than the turns of a whole burst, or of a window, can matter.
        let matters = min(limit.period / Double(limit.count ?? 1) * Double(limit.burst) * 2, Duration.century)
        let row = SharedKey<SharedPace>(
            Self.prefix(key.server) + (key.api ?? "") + (key.ownRate.map { "\n\($0)" } ?? ""),
            timeToLive: Self.retention + matters
        )
        do {
            return try paces.modify(row) { pace in
                var changed = pace ?? SharedPace()
                let turn = changed.take(limit, patience: patience, at: now.timeIntervalSince1970)
                pace = changed
                return turn
            }
        } catch {
            throw error as? StoreError ?? StoreError(.closed, "the file of the rate limits cannot be changed: \(error)")
        }
    }

    func removeTurns(at server: String) throws(StoreError) {
        let file = state.withLock { $0.directory?.appending(path: Self.fileName) }
        guard let file, FileManager.default.fileExists(atPath: file.path), let paces = try paces() else {
            return
        }
        for name in try paces.names(prefix: Self.prefix(server)) {
            try paces.remove(SharedKey<SharedPace>(name))
        }
    }

    /// Returns the beginning of the names of a server's rows, which is that of no other server's.
    private static func prefix(_ server: String) -> String { "\(server.utf8.count) \(server) " }

    private func paces() throws(StoreError) -> SharedData? {
        let (directory, open) = state.withLock { ($0.directory, $0.paces) }
        guard open == nil, let directory else {
            return open
        }
        var configuration = SharedData.Configuration()
        // A turn need not outlive the machine, and no call waits for ever for another process.
        configuration.durability = .processDeath
        configuration.busyTimeout = .seconds(5)
        configuration.now = now
        let paces = try SharedData(file: directory.appending(path: Self.fileName), configuration: configuration)
        try paces.removeExpired()
        return state.withLock { state in
            guard state.directory == directory else {
                return state.paces
            }
            let first = state.paces ?? paces
            state.paces = first
            return first
        }
    }
}
