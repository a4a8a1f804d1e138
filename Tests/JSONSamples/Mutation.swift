// SPDX-License-Identifier: MIT

/// Spoils documents.
package enum Mutation {
    /// Cuts a document, or changes, swaps, inserts or repeats bytes.
    package static func mutate(_ text: inout [UInt8], using generator: inout some RandomNumberGenerator) {
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            guard !text.isEmpty else {
                return
            }
            let place = Int.random(in: 0..<text.count, using: &generator)
            let other = Int.random(in: 0..<text.count, using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: text.removeLast(text.count - place)
            case 1: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: text.swapAt(place, other)
            case 3:
                let odd = Array("{}[]\",:\\0123456789eE+-.tfn \n\0u/".utf8)
                text.insert(odd[Int.random(in: 0..<odd.count, using: &generator)], at: place)
            case 4: text.remove(at: place)
            case 5: text.insert(contentsOf: text[min(place, other)...max(place, other)].prefix(30), at: place)
            default: text[place] = UInt8.random(in: 0...255, using: &generator)
            }
        }
    }
}
