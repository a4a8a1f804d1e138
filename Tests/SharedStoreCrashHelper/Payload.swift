// SPDX-License-Identifier: MIT

/// A value that shows by itself whether it is whole.
struct Payload: Codable, Sendable {
    var number: Int
    var filler: String

    init(number: Int) {
        self.number = number
        // Between a few bytes and several pages.
        filler = String(repeating: "\(number),", count: 1 + number * 37 % 3000)
    }
}
