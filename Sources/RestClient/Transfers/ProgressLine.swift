// SPDX-License-Identifier: MIT

public import JobGraphs
import RestEssentials
import Synchronization

/// A line of a terminal that shows the progress of a transfer or a graph.
///
/// ```text
/// today.tar   42% [=========>             ]  4.2/10 MB  1.3 MB/s  0:05
/// nightly   56% [============>          ]  2/4 nodes  40/164 elements  2 running
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
    /// - Parameter label: The name of what is transferred or run; none by default.
    public convenience init(_ label: String = "") {
        self.init(label, columns: Terminal.columns, write: Terminal.put)
    }

    init(_ label: String, columns: @escaping @Sendable () -> Int?, write: @escaping @Sendable (String) -> Void) {
        self.label = label
        self.columns = columns
        self.write = write
    }

    /// Shows a progress in place of the last one.
    ///
    /// - Parameter progress: The progress.
    public func show(_ progress: TransferProgress) {
        show { ProgressLineText.text(label, progress, columns: $0) }
    }

    /// Shows the progress of a graph in place of the last one.
    ///
    /// ```swift
    /// let line = ProgressLine("nightly")
    /// for await progress in execution.progress { line.show(progress) }
    /// line.finish()
    /// ```
    ///
    /// - Parameter progress: The progress.
    public func show(_ progress: GraphProgress) {
        show { ProgressLineText.text(label, progress, columns: $0) }
    }

    private func show(_ text: (_ columns: Int) -> String) {
        guard let columns = columns() else {
            return
        }
        let line = text(max(1, columns - 1))
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

/// Turns lines that replace one another into the text for a terminal, without I/O.
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

    mutating func clear() -> String {
        let width = ColumnText.width(shown)
        shown = ""
        return width == 0 ? "" : "\r" + String(repeating: " ", count: width) + "\r"
    }

    mutating func finish() -> String {
        defer { shown = "" }
        return shown.isEmpty ? "" : "\n"
    }
}

/// Writes a progress as one line of a terminal: pure.
///
/// Where it is too wide, the last detail goes first, such as the time of a transfer, and at last the bar.
enum ProgressLineText {
    private static let bars = 10...40
    private static let narrowestLabel = 8
    private static let gap = "  "

    static func text(_ label: String, _ progress: TransferProgress, columns: Int) -> String {
        let amount = amount(progress)
        let rate = progress.rate.map { ByteCountText.text(Int64(max(0, min($0, 1e18)))) + "/s" }
        let time = progress.remainingTime.flatMap { $0 > .zero ? ByteCountText.text($0) : nil }
        return text(label, progress.fraction, [amount, rate, time].compactMap { $0 }, columns)
    }

    static func text(_ label: String, _ progress: GraphProgress, columns: Int) -> String {
        func amount(_ finished: Int, _ total: Int, _ unit: String) -> String? {
            total == 0 ? nil : "\(finished == total ? "" : "\(finished)/")\(total) \(unit)\(total == 1 ? "" : "s")"
        }
        let details = [
            amount(progress.finished, progress.total, "node"),
            amount(progress.finishedElements, progress.elements, "element"),
            progress.running == 0 ? nil : "\(progress.running) running",
        ]
        return text(label, progress.fraction, details.compactMap(\.self), columns)
    }

    /// Without a fraction, the first detail takes the place of the percentage and the bar.
    private static func text(_ label: String, _ fraction: Double?, _ details: [String], _ columns: Int) -> String {
        let label = ColumnText.fitted(label, to: .max)
        for count in stride(from: details.count, through: fraction == nil ? 1 : 0, by: -1) {
            if let line = line(label, fraction, details.prefix(count), columns) {
                return line
            }
        }
        let shortest = fraction.map { String(percent($0).drop { $0 == " " }) } ?? details.first ?? ""
        return line(label, nil, [shortest], columns) ?? ColumnText.fitted(shortest, to: columns)
    }

    private static func line(
        _ label: String,
        _ fraction: Double?,
        _ details: ArraySlice<String>,
        _ columns: Int
    ) -> String? {
        var pieces = Array(details)
        var room = columns
        if let fraction {
            pieces.insert(percent(fraction) + " ", at: 0)
            room -= bars.lowerBound
        }
        room -= pieces.reduce(gap.count * max(0, pieces.count - 1)) { $0 + ColumnText.width($1) }
        if !label.isEmpty {
            let wanted = ColumnText.width(label)
            let shown = min(wanted, room - gap.count)
            guard shown >= min(wanted, narrowestLabel) else {
                return nil
            }
            let text = ColumnText.fitted(label, to: shown)
            room -= ColumnText.width(text) + gap.count
            pieces.insert(text, at: 0)
        }
        guard room >= 0 else {
            return nil
        }
        if let fraction {
            let index = label.isEmpty ? 0 : 1
            pieces[index] += bar(fraction, min(bars.lowerBound + room, bars.upperBound))
        }
        return pieces.joined(separator: gap)
    }

    /// The percentage, rounded down: 100 means that all is there.
    private static func percent(_ fraction: Double) -> String {
        let number = Int((fraction * 100).rounded(.down))
        return String(repeating: " ", count: number < 10 ? 2 : number < 100 ? 1 : 0) + "\(number)%"
    }

    private static func amount(_ progress: TransferProgress) -> String {
        let completed = ByteCountText.text(progress.completed)
        guard let total = progress.total, total != progress.completed else {
            return completed
        }
        let whole = ByteCountText.text(total)
        let parts = completed.split(separator: " ")
        // One unit is enough where both have the same.
        let shown = parts.count == 2 && whole.hasSuffix(" " + parts[1]) ? String(parts[0]) : completed
        return "\(shown)/\(whole)"
    }

    private static func bar(_ fraction: Double, _ width: Int) -> String {
        let inner = max(0, width - 2)
        let filled = min(inner, Int(fraction * Double(inner)))
        let head = filled < inner && filled > 0 ? ">" : ""
        return "[" + String(repeating: "=", count: filled - head.count) + head
            + String(repeating: " ", count: inner - filled) + "]"
    }
}

enum ByteCountText {
    private static let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]

    /// Returns a number of bytes in units of the SI, as in `4.2 MB`; below ten with one decimal.
    static func text(_ count: Int64) -> String {
        // No calculation here leaves this range.
        let value = UInt64(max(0, count))
        guard value >= 1_000 else {
            return "\(value) B"
        }
        var divisor: UInt64 = 1_000
        var unit = 1
        // Rounded to whole units, it would have four digits.
        while unit < units.count - 1, (value + divisor / 2) / divisor >= 1_000 {
            divisor *= 1_000
            unit += 1
        }
        let tenths = (value + divisor / 20) / (divisor / 10)
        let shown = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((value + divisor / 2) / divisor)"
        return "\(shown) \(units[unit])"
    }

    /// Returns a time, as in `0:05`, `12:40` and `1:02:03`; from a hundred hours on, as in `5d`.
    static func text(_ time: Duration) -> String {
        // A hair above a second, as calculations leave it, is none more.
        let seconds = max(0, (min(time / .seconds(1), 1e12) - 1e-6).rounded(.up))
        let whole = Int64(seconds)
        let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
        if hours >= 100 {
            return "\(hours / 24)d"
        }
        let tail = padded(whole % 60)
        return hours > 0 ? "\(hours):\(padded(minutes)):\(tail)" : "\(minutes):\(tail)"
    }

    private static func padded(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

enum ColumnText {
    static func width(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// Returns a text without control characters, cut to some columns; a cut one ends in `…`.
    static func fitted(_ text: String, to columns: Int) -> String {
        // An escape sequence in a file's name must not reach the terminal, nor may what turns the direction of writing.
        let text = String(String.UnicodeScalarView(text.unicodeScalars.filter { !MessageText.isHidden($0) }))
        guard width(text) > columns else {
            return text
        }
        guard columns > 0 else {
            return ""
        }
        var output = ""
        var used = 1
        for character in text {
            used += width(character)
            guard used <= columns else {
                break
            }
            output.append(character)
        }
        return output + "…"
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else {
            return 0
        }
        if character.unicodeScalars.contains(where: { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }) {
            return 2
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x2_0000...0x3_FFFD:
            return 2
        default:
            return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}
