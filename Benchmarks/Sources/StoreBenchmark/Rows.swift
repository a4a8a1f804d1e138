// SPDX-License-Identifier: MIT

import BenchmarkSupport
import Foundation

/// The rows that every disk contender holds: 100,000 keys with about 1 KB each, unless `--rows` says otherwise.
enum Rows {
    /// A multiple of the rows that are written at once.
    static let count = max(1, (Arguments.value("--rows").flatMap(Int.init) ?? 100_000) / 250) * 250

    static let keys: [String] = (0..<count).map { "https://api.example.com/v1/users/\($0)/orders" }

    /// About 1 KB of text, which differs for each number and generation.
    static func body(_ number: Int, generation: UInt64) -> Data {
        var body = template
        unsafe withUnsafeBytes(of: (number, generation)) { body.replaceSubrange(0..<16, with: $0) }
        return body
    }

    private static let template: Data = {
        let orders = (0..<14)
            .map { #"{"id":\#($0 * 7919),"sku":"SKU-\#($0 * 104_729)","qty":\#($0 % 9),"price":19.99},"# }
        return Data(("[" + orders.joined() + String(repeating: " ", count: 1024)).utf8.prefix(1024))
    }()
}

/// Random numbers that are the same for each contender of a round (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// The number of some row.
    mutating func row(of count: Int = Rows.count) -> Int {
        Int(next() % UInt64(count))
    }
}
