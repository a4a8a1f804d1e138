// SPDX-License-Identifier: MIT

/// Turns lines that replace one another into what a terminal is sent: pure.
///
/// The owner writes the texts as they are, to a terminal only.
struct ProgressLinePrinter: Sendable {
    private var shown = ""

    /// Returns the text that puts a line in place of the last one; empty if it is the same.
    mutating func show(_ line: String) -> String {
        guard line != shown else {
            return ""
        }
        let rest = max(0, ColumnText.width(shown) - ColumnText.width(line))
        shown = line
        // Spaces in place of an escape sequence: they are understood everywhere.
        return "\r" + line + String(repeating: " ", count: rest) + String(repeating: "\u{8}", count: rest)
    }

    /// Returns the text that takes the line away, before something else is written.
    mutating func clear() -> String {
        let width = ColumnText.width(shown)
        shown = ""
        return width == 0 ? "" : "\r" + String(repeating: " ", count: width) + "\r"
    }

    /// Returns the text that leaves the last line where it is.
    mutating func finish() -> String {
        defer { shown = "" }
        return shown.isEmpty ? "" : "\n"
    }
}
