// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The turn of a writer that others have overtaken: all other writers to the same values wait while it has the turn, so
/// that a slow change finishes beside quick ones.
extension SharedData {
    /// Marks code that has a turn, which must not wait for itself.
    private static let turns = TaskScope<Void>(endsWithOperation: true)

    /// Repeats a write until no other writer has changed what it read; once it was overtaken, others give way.
    ///
    /// `attempt` returns `nil` if it was overtaken; `busy` is thrown if that lasts for the busy timeout.
    func repeated<Result>(
        about key: String? = nil,
        _ attempt: () throws(StoreError) -> Result?
    ) throws(StoreError) -> Result {
        do {
            return try repeatedAny(about: key, attempt)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.internalFailure, "a write failed with an error of another kind", underlying: error)
        }
    }

    /// Repeats a write as ``repeated(about:_:)`` does; the attempt may throw any error.
    func repeatedAny<Result>(about key: String? = nil, _ attempt: () throws -> Result?) throws -> Result {
        let file = state.withLock { $0.file }
        let deadline = ContinuousClock.now + configuration.busyTimeout
        guard Self.turns.innermost() == nil else {
            return try insisting(until: deadline, key, file, attempt)
        }
        if mayTurnBeTaken(file) { FileLock.poll(until: deadline) { takeTurn(file) }?.release() }
        if let result = try attempt() { return result }
        let turn = FileLock.poll(until: deadline) { takeTurn(file) }
        defer { turn?.release() }
        return try Self.turns.open(()) { try insisting(until: deadline, key, file, attempt) }
    }

    /// Repeats a write that does not give way, at least once.
    private func insisting<Result>(
        until deadline: ContinuousClock.Instant,
        _ key: String?,
        _ file: String?,
        _ attempt: () throws -> Result?
    ) throws -> Result {
        while true {
            if let result = try attempt() { return result }
            guard ContinuousClock.now < deadline else {
                throw StoreError(
                    .busy,
                    "others kept changing the values while they were being changed",
                    file: file,
                    key: key,
                    advice: "Do less in the closure, or raise the busy timeout."
                )
            }
        }
    }

    /// Takes the turn; returns `nil` if another writer has it.
    private func takeTurn(_ file: String?) -> ReleaseOnce? {
        guard let file else {
            guard !isTurnTaken.exchange(true, ordering: .acquiring) else {
                return nil
            }
            return ReleaseOnce { [weak self] in self?.isTurnTaken.store(false, ordering: .releasing) }
        }
        do throws(StoreError) {
            return try FileLock.acquire(Self.turn(of: file)).map { lock in ReleaseOnce { lock.release() } }
        } catch {
            // Where files cannot be locked, nobody gives way.
            return ReleaseOnce {}
        }
    }

    /// Returns true if another writer may have the turn: a process that was killed leaves the file, but not its lock.
    private func mayTurnBeTaken(_ file: String?) -> Bool {
        file.map { SystemFile.identity(of: Self.turn(of: $0)) != nil } ?? isTurnTaken.load(ordering: .relaxed)
    }

    private static func turn(of file: String) -> String { "\(file).turn" }
}
