// SPDX-License-Identifier: MIT

import CSQLite
import RestEssentials

/// The time for which a connection waits for others, and its steps.
///
/// SQLite's own busy timeout sleeps up to 100 ms per step, which starves a process that shares a file with a busy one;
/// this one begins with 0.1 ms and never sleeps longer than 5 ms.
enum BusyHandler {
    /// The steps of the wait in microseconds: the n-th attempt sleeps the n-th step, later ones the last.
    static let steps: [UInt32] = [100, 100, 200, 200, 500, 500, 1000, 1000, 2000, 2000, 5000]

    /// The microseconds slept before the n-th attempt, from 0.
    static func waited(before attempt: Int) -> UInt64 {
        let known = steps.prefix(attempt).reduce(0) { $0 + UInt64($1) }
        return known + UInt64(max(0, attempt - steps.count)) * UInt64(steps.last ?? 0)
    }

    /// The number of attempts that fit into the timeout.
    static func attempts(within timeout: Duration) -> Int {
        let limit =
            UInt64(min(max(timeout.components.seconds, 0), 1_000_000)) * 1_000_000
            + UInt64(clamping: timeout.components.attoseconds / 1_000_000_000_000)
        var attempts = 0
        while attempts < 10_000_000, waited(before: attempts) < limit {
            attempts += attempts < steps.count ? 1 : max(1, Int((limit - waited(before: attempts)) / 5000))
        }
        return attempts
    }

    /// Installs the handler on a connection.
    static func install(on database: OpaquePointer, timeout: Duration) {
        // The number of attempts is passed as the context pointer itself, so nothing has to outlive the connection.
        let context = unsafe UnsafeMutableRawPointer(bitPattern: attempts(within: timeout))
        unsafe sqlite3_busy_handler(
            database,
            { context, attempt in
                let limit = Int(bitPattern: context)
                guard Int(attempt) < limit else {
                    return 0
                }
                _ = usleep(BusyHandler.steps[min(Int(attempt), BusyHandler.steps.count - 1)])
                return 1
            },
            context
        )
    }
}
