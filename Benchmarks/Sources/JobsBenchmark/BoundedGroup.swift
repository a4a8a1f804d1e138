// SPDX-License-Identifier: MIT

/// The usual way to bound a task group: no more than so many children at once, the next one added when one has ended.
enum BoundedGroup {
    static func run(_ count: Int, width: Int, _ work: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= width {
                    try await group.next()
                }
                group.addTask { try await work() }
            }
            try await group.waitForAll()
        }
    }
}
