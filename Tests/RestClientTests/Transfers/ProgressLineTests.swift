// SPDX-License-Identifier: MIT

import SeededRandom
import Synchronization
import Testing

@testable import JobGraphs
@testable import RestClient

@Suite
struct ProgressLineTests {
    @Test(arguments: [
        (0, "0 B"), (1, "1 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_049, "1.0 kB"), (1_050, "1.1 kB"),
        (9_949, "9.9 kB"),
        (9_950, "10 kB"), (9_999, "10 kB"), (10_499, "10 kB"), (10_500, "11 kB"), (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (999_999, "1.0 MB"), (1_500_000, "1.5 MB"), (4_200_000_000, "4.2 GB"), (Int64.max, "9.2 EB"), (-5, "0 B"),
    ])
    func `numbers of bytes are short`(count: Int64, expected: String) {
        #expect(ByteCountText.text(count) == expected)
    }

    @Test(arguments: [
        (Duration.zero, "0:00"), (.milliseconds(1), "0:01"), (.seconds(5), "0:05"), (.milliseconds(59_500), "1:00"),
        (.seconds(760), "12:40"), (.seconds(3_723), "1:02:03"), (.seconds(359_999), "99:59:59"),
        (.seconds(432_000), "5d"),
        (.seconds(-1), "0:00"), (.seconds(Int64.max), "11574074d"),
    ])
    func `times are short`(time: Duration, expected: String) {
        #expect(ByteCountText.text(time) == expected)
    }

    @Test(arguments: [
        ("abc", 3), ("", 0), ("ü", 1), ("u\u{308}", 1), ("日本", 4), ("🧶", 2), ("👩‍👩‍👧", 2), ("한", 2), ("❤️", 2), ("ﾊ", 1),
    ])
    func `characters have one column or two`(text: String, width: Int) {
        #expect(ColumnText.width(text) == width)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("a", 0, ""),
        ("abc", 1, "…"), ("a\u{1B}[2Jb\r\n\u{7}", 9, "a[2Jb"), ("a\u{202E}b\u{200B}", 9, "ab"),
        ("a\u{85}\u{2028}b", 9, "ab"),
    ])
    func `a text is cut to its columns, and controls nothing`(text: String, columns: Int, expected: String) {
        #expect(ColumnText.fitted(text, to: columns) == expected)
    }

    private let progress = TransferProgress(completed: 4_200_000, total: 10_000_000, rate: 1_300_000)

    @Test(arguments: [
        (80, "harbour.jpg   42% [============>                    ]  4.2/10 MB  1.3 MB/s  0:05"),
        (60, "harbour.jpg   42% [====>        ]  4.2/10 MB  1.3 MB/s  0:05"),
        (55, "harbour.jpg   42% [==>     ]  4.2/10 MB  1.3 MB/s  0:05"),
        (50, "harbour.jpg   42% [==>      ]  4.2/10 MB  1.3 MB/s"), (40, "harbour.jpg   42% [==>      ]  4.2/10 MB"),
        (30, "harbour.jpg   42% [===>      ]"), (20, "harbour.jpg  42%"), (14, "harbour.…  42%"), (10, "42%"),
        (3, "42%"),
        (2, "4…"), (0, ""),
    ])
    func `a line gives up what matters least`(columns: Int, expected: String) {
        #expect(ProgressLineText.text("harbour.jpg", progress, columns: columns) == expected)
    }

    @Test(arguments: [
        (TransferProgress(completed: 0, total: 0), "x  100% [===============]  0 B"),
        (TransferProgress(completed: 0, total: 5_000), "x    0% [        ]  0 B/5.0 kB"),
        (TransferProgress(completed: 4_999, total: 5_000), "x   99% [======> ]  5.0/5.0 kB"),
        (TransferProgress(completed: 5_000, total: 5_000), "x  100% [============]  5.0 kB"),
        (TransferProgress(completed: 5_000), "x  5.0 kB"),
        (TransferProgress(completed: 5_000, rate: 100), "x  5.0 kB  100 B/s"),
    ])
    func `beginning and end are exact, and without a total there is neither`(
        progress: TransferProgress,
        expected: String
    ) {
        #expect(ProgressLineText.text("x", progress, columns: 30) == expected)
    }

    @Test(arguments: [
        (80, "nightly   50% [=============>              ]  2/4 nodes  3/8 elements  2 running"),
        (60, "nightly   50% [===>    ]  2/4 nodes  3/8 elements  2 running"),
        (59, "nightly   50% [========>         ]  2/4 nodes  3/8 elements"), (12, "nightly  50%"),
    ])
    func `a graph counts its nodes and the elements of its loops`(columns: Int, expected: String) {
        #expect(ProgressLineText.text("nightly", Self.graph, columns: columns) == expected)
    }

    @Test
    func `a graph replaces the last line as a transfer does`() {
        let screen = Screen()
        let line = screen.line("a", columns: 8)

        line.show(Self.graph)
        line.show(Self.graph)

        #expect(screen.texts.withLock { $0 } == ["\ra  50%"])
    }

    /// Two nodes of four have ended, and two run; three elements of eight have ended.
    private static var graph: GraphProgress {
        var machine = JobGraphStateMachine(JobTopology(count: 4))
        for _ in 0..<4 {
            _ = machine.next()
        }
        _ = machine.finish(0, .success)
        _ = machine.finish(1, .success)
        var counts = ElementCounts()
        counts.add(8)
        for _ in 0..<3 {
            counts.end()
        }
        return GraphProgress(machine, counts)
    }

    @Test
    func `a line is never too wide`() {
        var generator = SeededGenerator(seed: 17)
        let labels = ["", "a", "harbour.jpg", "日本語のファイル名.txt", "🧶🧶🧶🧶🧶🧶", "a\u{1B}[31mb"]
        for _ in 0..<3_000 {
            let total =
                Int64.random(in: 0...Int64.max, using: &generator) >> Int64.random(in: 0..<63, using: &generator)
            let progress = TransferProgress(
                completed: Int64.random(in: 0...max(0, total), using: &generator),
                total: Bool.random(using: &generator) ? total : nil,
                rate: Bool.random(using: &generator) ? Double.random(in: 0...1e12, using: &generator) : nil
            )
            let columns = Int.random(in: 0...120, using: &generator)
            let label = labels[Int.random(in: 0..<labels.count, using: &generator)]

            let line = ProgressLineText.text(label, progress, columns: columns)

            #expect(ColumnText.width(line) <= columns)
            #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
            #expect(columns < 5 || !line.isEmpty)
        }
    }

    @Test
    func `lines replace one another`() {
        var printer = ProgressLinePrinter()

        #expect(printer.show("abcd") == "\rabcd")
        #expect(printer.show("abcd") == "")
        #expect(printer.show("ab") == "\rab  \u{8}\u{8}")
        #expect(printer.show("日本") == "\r日本")
        #expect(printer.clear() == "\r    \r")
        #expect(printer.clear() == "")
        #expect(printer.finish() == "")
        #expect(printer.show("x") == "\rx")
        #expect(printer.finish() == "\n")
        #expect(printer.finish() == "")
    }

    /// Keeps what a line writes.
    private final class Screen: Sendable {
        let texts = Mutex<[String]>([])

        func line(_ label: String, columns: Int?) -> ProgressLine {
            ProgressLine(label, columns: { columns }, write: { text in self.texts.withLock { $0.append(text) } })
        }
    }

    @Test
    func `a line replaces the last one, and is left or taken away`() {
        let screen = Screen()
        let line = screen.line("a", columns: 8)

        line.show(progress)
        line.show(progress)
        line.show(TransferProgress(completed: 10, total: 10))
        line.clear()
        line.clear()
        line.finish()
        line.show(progress)
        line.finish()

        let texts = screen.texts.withLock { $0 }
        #expect(texts == ["\ra  42%", "\ra  100%", "\r       \r", "\ra  42%", "\n"])
    }

    @Test(arguments: [1, 0, -1])
    func `a terminal without room gets one column at most`(columns: Int) {
        let screen = Screen()

        screen.line("a", columns: columns).show(progress)

        #expect(screen.texts.withLock { $0 }.allSatisfy { $0.count <= 2 })
    }

    @Test
    func `nothing is written where there is no terminal`() {
        let screen = Screen()
        let line = screen.line("a", columns: nil)

        line.show(progress)
        line.finish()
        line.clear()

        #expect(screen.texts.withLock { $0 } == [])
    }
}
