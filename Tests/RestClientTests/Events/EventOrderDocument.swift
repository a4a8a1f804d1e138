// SPDX-License-Identifier: MIT

import RestEssentials

/// The tables of `Docs/events.md` that say which events come in which order.
struct EventOrderDocument {
    /// One line of a table.
    struct Row: Sendable, CustomStringConvertible {
        let title: String
        let events: [String]

        var description: String { title }
    }

    /// The whole page.
    let text: String

    /// The lines of all tables of events.
    let rows: [Row]

    init() throws {
        // From Tests/RestClientTests/Events up to the top of the package.
        let top = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        text = try String(contentsOf: top.appending(path: "Docs/events.md"), encoding: .utf8)
        rows = Self.rows(of: text)
    }

    private static func rows(of text: String) -> [Row] {
        var rows: [Row] = []
        var isInTable = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "| what happens | events, in order |" {
                isInTable = true
            } else if !line.hasPrefix("|") {
                isInTable = false
            } else if isInTable, !line.hasPrefix("|---") {
                let cells = line.split(separator: " | ", maxSplits: 1)
                // The text between two backticks, without its surroundings.
                let words = cells.last?.split(separator: "`", omittingEmptySubsequences: false) ?? []
                rows.append(
                    Row(
                        title: String(cells.first?.dropFirst(2) ?? ""),
                        events: words.indices.filter { $0 % 2 == 1 }.map { String(words[$0]) }
                    )
                )
            }
        }
        return rows
    }
}
