// SPDX-License-Identifier: MIT

/// A key of a coding path for which the decoded type has none: an element's index, a member's name.
struct PathKey: CodingKey {
    static let `super` = PathKey("super")

    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init(stringValue: String) {
        self.init(stringValue)
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}
