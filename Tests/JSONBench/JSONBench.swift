// SPDX-License-Identifier: MIT

import JSONCoding
import JSONSamples
import RestEssentials

/// Compares with Foundation in one process.
///
/// Both take turns, the order is reversed each round, and the ratio is the median of the rounds' ratios, with their
/// spread. Scripts/bench json starts it.
///
///     JSONBench [--rounds N] [--only TEXT]             the rows whose name contains the text
///     JSONBench decode|encode ours|foundation COUNT    one loop, for callgrind
@main
enum JSONBench {
    private struct Failure: Error {
        let reason: String
    }

    static let decoder = JSONDecoder()
    static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
    static let direct = DirectJSONDecoder(standingInFor: decoder)
    static let directEncoder = DirectJSONEncoder(standingInFor: encoder)
    static let plainEncoder = JSONEncoder()
    static let directPlain = DirectJSONEncoder(standingInFor: plainEncoder)

    static func main() throws {
        guard let direct, let directEncoder, let directPlain else {
            throw Failure(reason: "a coder stands in for none of Foundation's")
        }
        let record = Record.sample(1)
        let records = (0..<100).map(Record.sample)
        // Members in the order of their declaration, as other writers have them.
        let small = try directPlain.encode(record)
        let large = try directPlain.encode(records)
        let sorted = try encoder.encode(record)
        let arguments = CommandLine.arguments
        if arguments.count == 4, let count = Int(arguments[3]) {
            for _ in 0..<count {
                switch (arguments[1], arguments[2]) {
                case ("decode", "ours"): _ = try direct.decode(Record.self, from: small)
                case ("decode", _): _ = try decoder.decode(Record.self, from: small)
                case ("encode", "ours"): _ = try directEncoder.encode(record)
                default: _ = try encoder.encode(record)
                }
            }
            return
        }
        print("1 KB is \(small.count) B, 100 KB are \(large.count) B.")
        guard try direct.decodeDirectly(Record.self, from: small) == record,
            try directEncoder.encode(record) == sorted, try directEncoder.encode(records) == encoder.encode(records)
        else {
            throw Failure(reason: "results differ")
        }
        print("\(rounds) rounds; times are medians, speed is against Foundation, median (min-max).")
        print(line(["", "us", "Foundation us", "speed"]))
        try row("decode 1 KB", 2000) {
            _ = try direct.decode(Record.self, from: small)
        } _: {
            _ = try decoder.decode(Record.self, from: small)
        }
        try row("decode 100 KB", 20) {
            _ = try direct.decode([Record].self, from: large)
        } _: {
            _ = try decoder.decode([Record].self, from: large)
        }
        try row("decode 1 KB, sorted members", 2000) {
            _ = try direct.decode(Record.self, from: sorted)
        } _: {
            _ = try decoder.decode(Record.self, from: sorted)
        }
        try row("decode 1 KB as any value", 500) {
            _ = try direct.decode(SampleTree.self, from: small)
        } _: {
            _ = try decoder.decode(SampleTree.self, from: small)
        }
        try row("encode 1 KB sorted", 2000) {
            _ = try directEncoder.encode(record)
        } _: {
            _ = try encoder.encode(record)
        }
        try row("encode 100 KB sorted", 20) {
            _ = try directEncoder.encode(records)
        } _: {
            _ = try encoder.encode(records)
        }
        try row("encode 1 KB", 2000) {
            _ = try directPlain.encode(record)
        } _: {
            _ = try plainEncoder.encode(record)
        }
        try row("encode 100 KB", 20) {
            _ = try directPlain.encode(records)
        } _: {
            _ = try plainEncoder.encode(records)
        }
    }

    private static let rounds = max(1, value("--rounds").flatMap(Int.init) ?? 9)

    private static func value(_ name: String) -> String? {
        CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
    }

    /// Measures one row, unless another one was asked for.
    static func row(_ name: String, _ count: Int, _ ours: () throws -> Void, _ theirs: () throws -> Void) throws {
        if let only = value("--only"), !name.contains(only) {
            return
        }
        var first: [Double] = []
        var second: [Double] = []
        for round in 0..<rounds {
            if round.isMultiple(of: 2) {
                first.append(try time(count, ours))
                second.append(try time(count, theirs))
            } else {
                second.append(try time(count, theirs))
                first.append(try time(count, ours))
            }
        }
        let ratios = zip(first, second).map { $1 / $0 }.sorted()
        let spread = "\(short(median(ratios))) (\(short(ratios[0]))-\(short(ratios[rounds - 1])))"
        print(line([name, short(median(first)), short(median(second)), spread]))
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func short(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }

    private static func line(_ cells: [String]) -> String {
        zip(cells, [28, 10, 16, 0]).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }.joined()
    }

    /// Returns the time of one repetition, in microseconds.
    private static func time(_ count: Int, _ work: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let duration = try clock.measure { for _ in 0..<count { try work() } }
        return Double(duration.components.attoseconds) * 1e-12 / Double(count)
            + Double(duration.components.seconds) * 1e6 / Double(count)
    }
}
