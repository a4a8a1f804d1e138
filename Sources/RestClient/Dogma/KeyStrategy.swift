// SPDX-License-Identifier: MIT

import RestEssentials

/// The relation between the names of members in a body and those of a model's properties, in both directions.
public enum KeyStrategy: Sendable, Hashable {
    /// The names are equal.
    case asDeclared
    /// The members have names in snake case, as in `created_at` for `createdAt`.
    ///
    /// An abbreviation in capitals does not come back: declare `imageUrl`, not `imageURL`, or a coding key.
    case snakeCase

    func configure(_ encoder: JSONEncoder) {
        switch self {
        case .asDeclared: encoder.keyEncodingStrategy = .useDefaultKeys
        case .snakeCase: encoder.keyEncodingStrategy = .convertToSnakeCase
        }
    }

    func configure(_ decoder: JSONDecoder) {
        switch self {
        case .asDeclared: decoder.keyDecodingStrategy = .useDefaultKeys
        case .snakeCase: decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
    }
}
