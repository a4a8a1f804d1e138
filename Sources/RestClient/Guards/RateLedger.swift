// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// The turns of the processes that share a directory, at servers with a shared rate limit.
///
/// The file is opened when the first call needs it.
final class RateLedger: Sendable {
    private static let fileName = "rate-limits.sqlite"

    private struct State {
        var directory: URL?
        var paces: SharedData?
    }

    private let state = Mutex(State())

    /// Uses the file of a directory from now on.
    func use(_ directory: URL) {
        state.withLock { $0 = State(directory: directory) }
    }

    /// Takes the turn of a call.
    ///
    /// - Parameters:
    ///   - key: Whose calls share the limit.
    ///   - limit: The limit.
    ///   - patience: How long the call can wait; `nil` for any time.
    ///   - now: The time of day.
    /// - Returns: The turn; `nil` if there is no directory to share.
    /// - Throws: `StoreError` if the file cannot be read or written.
    func take(
        _ key: GuardKey,
        _ limit: RateLimit,
        patience: Duration?,
        at now: Date
    ) throws(StoreError) -> SharedPace.Turn? {
        guard let paces = try paces() else {
            return nil
        }
        do {
            return try paces.modify(SharedKey<SharedPace>(key.server + " " + (key.api ?? ""))) { pace in
                var changed = pace ?? SharedPace()
                let turn = changed.take(limit, patience: patience, at: now.timeIntervalSince1970)
                pace = changed
                return turn
            }
        } catch {
            throw error as? StoreError ?? StoreError(.closed, "the file of the rate limits cannot be changed: \(error)")
        }
    }

    private func paces() throws(StoreError) -> SharedData? {
        let (directory, open) = state.withLock { ($0.directory, $0.paces) }
        guard open == nil, let directory else {
            return open
        }
        var configuration = SharedData.Configuration()
        // A turn need not outlive the machine, and no call waits for ever for another process.
        configuration.durability = .processDeath
        configuration.busyTimeout = .seconds(5)
        let paces = try SharedData(file: directory.appending(path: Self.fileName), configuration: configuration)
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
