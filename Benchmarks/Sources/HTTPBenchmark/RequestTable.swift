// SPDX-License-Identifier: MIT

import BenchmarkSupport

/// Prints measurements as lines of a table.
enum RequestTable {
    private static let table = Table(widths: [40, 4, 8, 8, 8, 8, 18, 18])

    static let head = table.line(["", "c", "req/s", "cpu us", "p50 us", "p99 us", "req/s ratio", "cpu ratio"])

    /// The medians of a contender's rounds, and its ratios to another contender's.
    static func row(_ name: String, _ concurrency: Int, _ own: [Measurement], comparedTo base: [Measurement]) -> String
    {
        func median(_ figure: (Measurement) -> Double, _ digits: Int) -> String {
            Table.text(Table.median(own.map(figure)), digits)
        }
        return table.line([
            name, String(concurrency), median(\.rate, 0), median(\.processorTime, 1), median(\.median, 0),
            median(\.percentile99, 0), Table.spread(zip(own, base).map { $0.rate / $1.rate }),
            Table.spread(zip(own, base).map { $0.processorTime / $1.processorTime }),
        ])
    }
}
