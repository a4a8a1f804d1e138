// SPDX-License-Identifier: MIT

import Testing

@testable import JobGraphs

@Suite
struct WorkerPoolSnapshotTests {
    @Test
    func `an empty pool has nothing to tell`() {
        let snapshot = WorkerPool(size: 3).snapshot()
        #expect(snapshot.running.isEmpty && snapshot.waiting.isEmpty)
        #expect(snapshot.description == "0 of 3 slots taken, 0 wait")
    }
}
