// SPDX-License-Identifier: MIT

import RestEssentials

/// The stored form of a set of tags: each as its length in four bytes and its UTF-8, sorted by bytes.
enum TagList {
    /// Returns the stored form, or `nil` for no tags.
    static func encode(_ tags: Set<String>) -> Data? {
        guard !tags.isEmpty else {
            return nil
        }
        var data = Data()
        for tag in tags.map(RowKey.init).sorted() {
            let bytes = tag.string.utf8
            let count = UInt32(clamping: bytes.count)
            data.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) })
            data.append(contentsOf: bytes)
        }
        return data
    }

    /// Decodes the stored form; stops at the first malformed part.
    static func decode(_ data: Data) -> Set<String> {
        var tags: Set<String> = []
        var rest = data[...]
        while rest.count >= 4 {
            let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard count <= rest.count else {
                break
            }
            tags.insert(String(decoding: rest.prefix(count), as: UTF8.self))
            rest = rest.dropFirst(count)
        }
        return tags
    }
}
