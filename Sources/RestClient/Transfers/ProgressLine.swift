// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// A line of a terminal that shows how far a transfer has come.
///
/// ```text
/// today.tar   42% [=========>             ]  4.2/10 MB  1.3 MB/s  0:05
/// ```
///
/// It is written to standard error, and only if that is a terminal: a script whose output goes to a file writes
/// nothing.
public final class ProgressLine: Sendable {
    private let label: String
    private let columns: @Sendable () -> Int?
    private let write: @Sendable (String) -> Void
    private let printer = Mutex(ProgressLinePrinter())

    /// Creates a line.
    ///
    /// - Parameter label: The name of what is transferred; none by default.
    public convenience init(_ label: String = "") {
        self.init(label, columns: Terminal.columns, write: Terminal.put)
    }

    init(
        _ label: String,
        columns: @escaping @Sendable () -> Int?,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        self.columns = columns
        self.write = write
    }

    /// Shows a progress in place of the last one.
    ///
    /// - Parameter progress: The progress.
    public func show(_ progress: TransferProgress) {
        guard let columns = columns() else {
            return
        }
        let line = ProgressLineText.text(label, progress, columns: max(1, columns - 1))
        put { $0.show(line) }
    }

    /// Leaves the last progress where it is, and goes on with the next line.
    public func finish() {
        put { $0.finish() }
    }

    /// Takes the line away, before something else is written.
    public func clear() {
        put { $0.clear() }
    }

    /// Writes under the lock, as lines that are out of order would show the past.
    private func put(_ text: (inout ProgressLinePrinter) -> String) {
        printer.withLock { printer in
            let text = text(&printer)
            if !text.isEmpty {
                write(text)
            }
        }
    }
}

private enum Terminal {
    @Sendable
    static func columns() -> Int? {
        guard isatty(STDERR_FILENO) == 1 else {
            return nil
        }
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return 80
        }
        return Int(size.ws_col)
    }

    /// Writes a text; one that cannot be written is not worth an error.
    @Sendable
    static func put(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}

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
