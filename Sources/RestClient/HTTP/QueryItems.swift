// SPDX-License-Identifier: MIT

/// Parses the items of a query or of a form body.
package enum QueryItems {
    /// Returns the items, names and values decoded, in order.
    ///
    /// - Parameters:
    ///   - text: The text without a leading question mark.
    ///   - plusIsSpace: True for forms, in which a plus sign stands for a space.
    /// - Returns: The items; one without an equals sign has an empty value.
    package static func decode(
        _ text: some StringProtocol,
        plusIsSpace: Bool = false
    ) -> [(name: String, value: String)] {
        split(text)
            .map { item in
                (
                    PercentEncoding.decode(item.name, plusIsSpace: plusIsSpace),
                    PercentEncoding.decode(item.value ?? "", plusIsSpace: plusIsSpace)
                )
            }
    }

    /// Returns the items in their encoded form, in order.
    package static func split(
        _ text: some StringProtocol,
        omittingEmpty: Bool = true
    ) -> [(name: Substring, value: Substring?)] {
        // Bytes separate, not characters: an ampersand with a combining mark behind it is another character.
        Substring(text).utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: omittingEmpty)
            .map { item in
                guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else {
                    return (Substring(item), nil)
                }
                return (Substring(item[..<equals]), Substring(item[item.index(after: equals)...]))
            }
    }
}
