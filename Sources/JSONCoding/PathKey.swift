// SPDX-License-Identifier: MIT

/// A key in a coding path where there is no `CodingKey` of the model: the index of an element, the name of a member.
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
