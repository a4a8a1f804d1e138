// SPDX-License-Identifier: MIT

import RestEssentials

extension Data {
    /// Returns the bytes cut at random places, some of the pieces empty, some with indices that do not begin at zero.
    func chunks(upTo longest: Int, using generator: inout some RandomNumberGenerator) -> [Data] {
        var chunks: [Data] = []
        var rest = self[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 0...longest, using: &generator))
            rest = rest.dropFirst(chunk.count)
            chunks.append(Bool.random(using: &generator) ? chunk : Data(chunk))
        }
        return chunks
    }

    init(_ text: String) {
        self.init(text.utf8)
    }

    /// The bytes as text.
    var text: String { String(decoding: self, as: UTF8.self) }
}
