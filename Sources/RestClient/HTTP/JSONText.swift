// SPDX-License-Identifier: MIT

import RestEssentials

/// JSON values as text for messages.
package enum JSONText {
    /// Returns a value on one line, with members in the order of their names.
    package static func of(_ value: JSONValue) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only numbers that JSON cannot represent fail to encode.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "\(value)"
    }
}
