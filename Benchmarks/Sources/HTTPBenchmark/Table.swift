// SPDX-License-Identifier: MIT

import Foundation

/// Prints measurements as lines of a table.
enum Table {
    static let head = line(["", "c", "req/s", "cpu us", "p50 us", "p99 us", "req/s ratio", "cpu ratio"])

    /// The medians of a contender's rounds, and its ratios to another contender's.
    static func row(_ name: String, _ concurrency: Int, _ own: [Measurement], comparedTo base: [Measurement]) -> String
    {
        line([
            name, String(concurrency), text(median(own.map(\.rate)), 0), text(median(own.map(\.processorTime)), 1),
            text(median(own.map(\.median)), 0), text(median(own.map(\.percentile99)), 0),
            spread(zip(own, base).map { $0.rate / $1.rate }),
            spread(zip(own, base).map { $0.processorTime / $1.processorTime }),
        ])
    }

    private static let widths = [40, 4, 8, 8, 8, 8, 18, 18]

    private static func line(_ cells: [String]) -> String {
        zip(cells, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: " ")
    }

    private static func spread(_ ratios: [Double]) -> String {
        "\(text(median(ratios), 2)) (\(text(ratios.min() ?? 0, 2))-\(text(ratios.max() ?? 0, 2)))"
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    private static func text(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }
}
