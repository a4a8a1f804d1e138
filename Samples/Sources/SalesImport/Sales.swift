// SPDX-License-Identifier: MIT

/// A file of sales, as it was when the import began.
///
/// Its value says which files the run has to read again: a file with changed contents has another value.
public struct SourceFile: Codable, Hashable, Sendable {
    /// The name of the file in its folder.
    public let name: String
    let fingerprint: UInt64
}

/// The sales of one file.
struct Sales: Codable, Sendable {
    /// Cents by article.
    let cents: [String: Int]
}

/// The sum of all files.
public struct Totals: Codable, Sendable {
    /// Cents by article.
    public let cents: [String: Int]

    init(of all: [Sales]) {
        cents = all.reduce(into: [:]) { totals, sales in totals.merge(sales.cents, uniquingKeysWith: +) }
    }
}

/// A line of a file that is not a sale.
public struct InvalidLine: Error, Equatable, CustomStringConvertible {
    /// The name of the file.
    public let file: String

    /// The number of the line, beginning with 1.
    public let number: Int

    /// Creates the error of a line.
    public init(file: String, number: Int) {
        self.file = file
        self.number = number
    }

    /// The place, and what was expected there.
    public var description: String { "\(file):\(number): expected 'article,quantity,cents'" }
}
