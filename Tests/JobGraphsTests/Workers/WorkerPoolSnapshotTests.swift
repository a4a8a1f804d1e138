// SPDX-License-Identifier: MIT

import Testing

@testable import JobGraphs

@Suite
struct WorkerPoolSnapshotTests {
    @Test
    func `the snapshot of an empty pool is empty`() {
        let snapshot = WorkerPool(size: 3).snapshot()
        #expect(snapshot.running.isEmpty && snapshot.waiting.isEmpty)
        #expect(snapshot.description == "0 of 3 slots taken, 0 wait")
    }
}
