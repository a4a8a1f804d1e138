// SPDX-License-Identifier: MIT

package import RestEssentials
package import SeededRandom

/// A model with every type that JSON coders treat in their own way.
package struct SampleRecord: Codable, Equatable, Sendable {
    package var id: Int
    package var firstName: String
    package var myURLProperty: URL?
    package var small: Int8
    package var medium: UInt16?
    package var large: UInt64
    package var huge: Int128
    package var ratio: Double
    package var single: Float
    package var isActive: Bool
    package var created: Date
    package var payload: Data
    package var amount: Decimal
    package var uuid: UUID
    package var tags: [String]
    package var matrix: [[Double]]
    package var choice: SampleChoice
    package var cases: [SampleCase]
    package var byName: [String: Int]
    package var byNumber: [Int: String]
    package var byChoice: [SampleChoice: [Date]]
    package var byRecord: [Bool: Int]
    package var numbered: SampleNumbered?
    package var children: [SampleRecord]
    package var nothing: [Int?]

    /// Makes a record of the generator's numbers.
    package init(using generator: inout SeededGenerator, depth: Int = 0) {
        func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        func text() -> String {
            let parts = [
                "a", "Z", " ", "/", "\"", "\\", "\n", "\u{1}", "\u{1F}", "\u{7F}", "é", "日", "😀", "e\u{301}",
                "\u{2028}",
            ]
            return (0..<random(24)).map { _ in random(4) == 0 ? parts[random(parts.count)] : "xyz-" }.joined()
        }
        func double() -> Double {
            switch random(6) {
            case 0: Double(random(1000))
            case 1: Double(random(1_000_000)) / 100
            case 2: -0.0
            case 3: Double(random(1_000_000_000)) / 1e7
            default: RandomNumbers.finite(using: &generator)
            }
        }
        func date() -> Date {
            switch random(4) {
            case 0: Date(timeIntervalSinceReferenceDate: Double(random(2_000_000_000)) - 1e9)
            case 1: Date(timeIntervalSinceReferenceDate: Double(random(2_000_000_000)) / 1000)
            case 2: Date(timeIntervalSinceReferenceDate: Double(random(250_000_000)) * 1000 - 12e9)
            default: Date(timeIntervalSinceReferenceDate: -Double(random(2_000_000_000)) / 7)
            }
        }
        id = random(2) == 0 ? random(1000) : Int(bitPattern: UInt.random(in: 0...UInt.max, using: &generator))
        firstName = text()
        myURLProperty = random(3) == 0 ? nil : URL(string: "https://example.com/\(random(100))?q=a/b")
        small = Int8.random(in: Int8.min...Int8.max, using: &generator)
        medium = random(2) == 0 ? nil : UInt16.random(in: 0...UInt16.max, using: &generator)
        large = UInt64.random(in: 0...UInt64.max, using: &generator)
        huge = Int128(large) * Int128(random(1000)) - Int128(id)
        ratio = double()
        single = Float(random(100_000)) / Float(1 << random(20))
        isActive = random(2) == 0
        created = date()
        payload = Data((0..<random(20)).map { _ in UInt8(random(256)) })
        amount = Decimal(random(1_000_000)) / 100
        uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(random(256)), 16))
        tags = (0..<random(4)).map { _ in text() }
        matrix = (0..<random(3)).map { _ in (0..<random(4)).map { _ in double() } }
        choice = SampleChoice.allCases[random(3)]
        cases = [
            .a, .b(id: random(9), name: random(2) == 0 ? nil : text()), .name(.value(double())),
            .dates(date(), [date()]),
        ]
        byName = Dictionary((0..<random(5)).map { ("\(text())_\($0)", $0) }) { first, _ in first }
        byNumber = Dictionary((0..<random(5)).map { (random(100) - 50, "\($0)") }) { first, _ in first }
        byChoice = [.alpha: [date()], .naive: []]
        byRecord = [true: random(5)]
        numbered = random(2) == 0 ? nil : SampleNumbered(first: random(9), second: [.beta])
        nothing = [nil, random(9), nil]
        children = []
        if depth < 2 {
            for _ in 0..<random(3) {
                children.append(SampleRecord(using: &generator, depth: depth + 1))
            }
        }
    }
}
