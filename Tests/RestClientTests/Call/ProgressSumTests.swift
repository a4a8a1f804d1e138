// SPDX-License-Identifier: MIT

import SeededRandom
import Testing

@testable import RestClient

@Suite
struct ProgressSumTests {
    @Test
    func `the sum is that of its members, and knows the total if each of them does`() {
        var sum = ProgressSum<Int>()
        #expect(sum.progress == TransferProgress())

        sum.update(1, TransferProgress(completed: 10, total: 100, rate: 5))
        sum.update(2, TransferProgress(completed: 3, rate: 2))
        #expect(sum.progress == TransferProgress(completed: 13, rate: 7))

        sum.update(2, TransferProgress(completed: 4, total: 8))
        #expect(sum.progress == TransferProgress(completed: 14, total: 108, rate: 5))
    }

    @Test
    func `what a member that ended did not transfer is not waited for`() {
        var sum = ProgressSum<Int>()
        sum.update(1, TransferProgress(completed: 10, total: 100, rate: 5))
        sum.update(2, TransferProgress(completed: 3))

        sum.finish(1)
        sum.finish(2)
        sum.finish(3)

        #expect(sum.progress == TransferProgress(completed: 13, total: 13))
    }

    @Test
    func `a member that ended may begin again`() {
        var sum = ProgressSum<Int>()
        sum.update(1, TransferProgress(completed: 10, total: 100))
        sum.finish(1)

        sum.update(1, TransferProgress(completed: 2, total: 100, rate: 1))

        #expect(sum.progress == TransferProgress(completed: 2, total: 100, rate: 1))
    }

    @Test
    func `numbers that are too large do not overflow`() {
        var sum = ProgressSum<Int>()
        sum.update(1, TransferProgress(completed: .max, total: .max))
        sum.update(2, TransferProgress(completed: .max, total: .max))

        #expect(sum.progress == TransferProgress(completed: .max, total: .max))
    }

    @Test
    func `any order of reports gives the sum of the last ones`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var sum = ProgressSum<Int>()
            var last: [Int: TransferProgress] = [:]
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let id = Int.random(in: 0..<5, using: &random)
                let total: Int64? = Bool.random(using: &random) ? .random(in: 0...1_000, using: &random) : nil
                if let known = last[id], Bool.random(using: &random) {
                    sum.finish(id)
                    last[id] = TransferProgress(completed: known.completed, total: known.completed)
                } else {
                    let progress = TransferProgress(completed: .random(in: 0...1_000, using: &random), total: total)
                    sum.update(id, progress)
                    last[id] = progress
                }
            }
            let totals = last.values.map(\.total)
            let total = totals.contains(nil) ? nil : totals.compactMap { $0 }.reduce(0, +)
            #expect(
                sum.progress == TransferProgress(completed: last.values.map(\.completed).reduce(0, +), total: total)
            )
        }
    }
}
