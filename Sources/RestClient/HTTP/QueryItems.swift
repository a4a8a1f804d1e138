// SPDX-License-Identifier: MIT

package enum QueryItems {
    /// An item in its encoded form; one without an equals sign has no value.
    package typealias Item = (name: Substring, value: Substring?)

    /// Returns the items, names and values decoded, in order; one without an equals sign has an empty value.
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

    package static func split(
        _ text: some StringProtocol,
        omittingEmpty: Bool = true
    ) -> [Item] {
        // Bytes separate, not characters: an ampersand with a combining mark behind it is another character.
        Substring(text).utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: omittingEmpty)
            .map { item in
                guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else {
                    return (Substring(item), nil)
                }
                return (Substring(item[..<equals]), Substring(item[item.index(after: equals)...]))
            }
    }

    package static func join(_ items: some Sequence<Item>) -> String {
        items.map { item in item.value.map { "\(item.name)=\($0)" } ?? String(item.name) }.joined(separator: "&")
    }

    /// Returns a URL with other items in its query, or without a query if there are none, and without its fragment.
    package static func rewriting(
        _ url: String,
        omittingEmpty: Bool = true,
        _ change: ([Item]) -> [Item]
    ) -> String {
        let text = HTTPURL.withoutFragment(url)
        guard let query = HTTPURL.query(of: text) else {
            return String(text)
        }
        let items = change(split(query, omittingEmpty: omittingEmpty))
        let mark = text.utf8.index(before: query.startIndex)
        return items.isEmpty ? String(text[..<mark]) : text[..<query.startIndex] + join(items)
    }

    /// Returns a URL with the items of its query sorted by the bytes of their names, and without its fragment.
    ///
    /// Items with the same name keep their order: `k=1&k=2` is not `k=2&k=1`.
    package static func sorting(_ url: String) -> String {
        guard HTTPURL.query(of: url)?.utf8.contains(UInt8(ascii: "&")) ?? false else {
            return String(HTTPURL.withoutFragment(url))
        }
        return rewriting(url, omittingEmpty: false) { items in
            items.enumerated()
                .sorted { left, right in
                    let (first, second) = (left.element.name.utf8, right.element.name.utf8)
                    return first.elementsEqual(second)
                        ? left.offset < right.offset : first.lexicographicallyPrecedes(second)
                }
                .map(\.element)
        }
    }
}
