// SPDX-License-Identifier: MIT

extension PathTemplate {
    /// The items of the template's query that hold no placeholders, names and values decoded, in order.
    ///
    /// One without an equals sign has no value, and matches any.
    package var literalQuery: [(name: String, value: String?)] {
        // In `?kind=book{&page}` a placeholder follows the item.
        QueryItems.split((HTTPURL.query(of: source) ?? "").replacing("{&", with: "&{"))
            .filter { item in !"\(item.name)\(item.value ?? "")".utf8.contains(where: Self.isOfPlaceholder) }
            .map { item in (PercentEncoding.decode(item.name), item.value.map { PercentEncoding.decode($0) }) }
    }

    private static func isOfPlaceholder(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "$")
    }
}
