// SPDX-License-Identifier: MIT

import Synchronization

/// A pool of reading connections, each behind its own lock, opened when first needed.
///
/// A read uses the first free connection, so that a program with one reader keeps one page cache warm. It waits for a
/// connection only if all are in use.
final class ReaderPool: Sendable {
    private enum Slot {
        case unopened
        case open(Connection)
        case closed
    }

    /// It is a class, since arrays cannot hold a `Mutex`.
    private final class Reader: Sendable {
        let slot = Mutex(Slot.unopened)
    }

    private let readers: [Reader]
    private let next = Atomic(0)
    private let open: @Sendable () throws(StoreError) -> Connection

    init(count: Int, open: @escaping @Sendable () throws(StoreError) -> Connection) {
        readers = (0..<max(1, count)).map { _ in Reader() }
        self.open = open
    }

    func read<Value: Sendable>(
        _ body: @Sendable (Connection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        for reader in readers {
            let value = try reader.slot.withLockIfAvailable { slot throws(StoreError) in
                try use(&slot, body)
            }
            if let value { return value }
        }
        let turn = next.wrappingAdd(1, ordering: .relaxed).newValue
        return try readers[abs(turn % readers.count)].slot
            .withLock { slot throws(StoreError) in
                try use(&slot, body)
            }
    }

    private func use<Value: Sendable>(
        _ slot: inout Slot,
        _ body: @Sendable (Connection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        while true {
            let connection = try connection(in: &slot)
            let result: Result<Value, StoreError>
            do throws(StoreError) {
                result = .success(try body(connection))
            } catch {
                result = .failure(error)
            }
            guard connection.isOutdated else {
                return try result.get()
            }
            // The result of the read may mix two states of the file.
            slot = .unopened
        }
    }

    private func connection(in slot: inout Slot) throws(StoreError) -> Connection {
        switch slot {
        case .open(let connection) where !connection.isOutdated: return connection
        case .closed: throw StoreError(.closed, "the store was closed")
        case .open, .unopened:
            let connection = try open()
            slot = .open(connection)
            return connection
        }
    }

    /// Waits for pending reads and closes all connections.
    func close() {
        for reader in readers {
            reader.slot.withLock { $0 = .closed }
        }
    }
}
