// SPDX-License-Identifier: MIT

package import RestEssentials

/// An enumeration of strings.
package enum SampleChoice: String, Codable, CaseIterable, CodingKeyRepresentable, Sendable {
    case alpha
    case beta
    case naive = "naïve"
}

/// An enumeration with associated values.
package enum SampleCase: Codable, Equatable, Sendable {
    case a
    case b(id: Int, name: String?)
    case value(Double)
    case dates(Date, [Date])
    indirect case name(SampleCase)
}

/// A class, and one that inherits.
package class SampleBase: Codable {
    package var id: Int
    package var name: String?

    package init(id: Int, name: String?) {
        self.id = id
        self.name = name
    }
}

/// Encodes its superclass beside its own members.
package final class SampleFlat: SampleBase {
    private enum CodingKeys: String, CodingKey {
        case value, firstName
    }

    package var value: Double
    package var firstName: String

    package init(value: Double, firstName: String, id: Int) {
        self.value = value
        self.firstName = firstName
        super.init(id: id, name: firstName)
    }

    package required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        value = try container.decode(Double.self, forKey: .value)
        firstName = try container.decode(String.self, forKey: .firstName)
        try super.init(from: decoder)
    }

    override package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try super.encode(to: encoder)
        try container.encode(firstName, forKey: .firstName)
    }
}

/// Encodes its superclass under a key.
package final class SampleNested: SampleBase {
    private enum CodingKeys: String, CodingKey {
        case value
    }

    package var value: [Int]

    package init(value: [Int], id: Int) {
        self.value = value
        super.init(id: id, name: nil)
    }

    package required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        value = try container.decode([Int].self, forKey: .value)
        try super.init(from: container.superDecoder())
    }

    override package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try super.encode(to: container.superEncoder())
    }
}

/// Keys with integers.
package struct SampleNumbered: Codable, Equatable, Sendable {
    enum CodingKeys: Int, CodingKey {
        case first = 1
        case second = 2
    }

    package var first: Int
    package var second: [SampleChoice]
}
