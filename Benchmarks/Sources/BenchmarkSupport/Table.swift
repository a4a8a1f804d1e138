// SPDX-License-Identifier: MIT

import Foundation

/// Lines of a table with columns of fixed width, and the numbers in its cells.
public struct Table: Sendable {
    private let widths: [Int]

    /// Creates a table of columns that are so many characters wide.
    public init(widths: [Int]) {
        self.widths = widths
    }

    /// Returns a line with these cells; one that is too long pushes those behind it to the right.
    public func line(_ cells: [String]) -> String {
        zip(cells, widths)
            .map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }
            .joined(separator: " ")
    }

    /// Returns the median of ratios with the lowest and the highest.
    public static func spread(_ ratios: [Double]) -> String {
        "\(text(median(ratios), 2)) (\(text(ratios.min() ?? 0, 2))-\(text(ratios.max() ?? 0, 2)))"
    }

    /// Returns the median, or 0 for none.
    public static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    /// Returns a number with so many digits behind the point.
    public static func text(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }
}
