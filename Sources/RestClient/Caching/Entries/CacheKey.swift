// SPDX-License-Identifier: MIT

import Crypto
import HTTPTypes
import RestEssentials

/// A cache key.
///
/// Equal requests produce the same key in every process; any significant difference produces another.
///
/// It begins with a digest of the URL, so that all responses of one URL are adjacent, for all users.
struct CacheKey: Hashable, Sendable {
    /// The text of the key in the store.
    let text: String

    /// Derives the key from the parts of a request.
    ///
    /// Each part is preceded by its length, so that different lists of parts never produce the same bytes.
    init(
        method: HTTPRequest.Method,
        url: String,
        body: Data,
        dogma: DogmaAlias,
        varying: [String],
        partition: String?,
        own: [String] = []
    ) {
        let url = Self.canonical(url)
        var parts = Parts()
        parts.append("rc2".utf8)
        parts.append(method.rawValue.utf8)
        parts.append(url.utf8)
        parts.append(body.isEmpty ? Self.digestOfNothing : Array(SHA256.hash(data: body)))
        parts.append(dogma.rawValue.utf8)
        for value in varying {
            parts.append(value.utf8)
        }
        parts.append((partition ?? "").utf8)
        for part in own {
            parts.append(part.utf8)
        }
        text = Self.prefix(canonical: url) + Hexadecimal.text(SHA256.hash(data: parts.bytes))
    }

    /// Creates the key of the requests whose response is in a row, which may be that of a variant.
    init(ofRow row: String) {
        text = String(row.prefix(Self.length))
    }

    /// Returns the prefix of the keys of all responses of a URL.
    static func prefix(of url: String) -> String {
        prefix(canonical: canonical(url))
    }

    /// The prefix of the keys of all responses of the same URL.
    var urlPrefix: String { String(text.prefix(Self.prefixLength)) }

    /// Returns the key of the response for requests with the given fields.
    func variant(_ selecting: SelectingFields) -> String {
        var parts = Parts()
        for field in selecting.fields {
            parts.append(field.name.utf8)
            parts.append((field.value.map { "=" + $0 } ?? "").utf8)
        }
        return text + "." + Hexadecimal.text(SHA256.hash(data: parts.bytes).prefix(16))
    }

    /// Returns a URL with the items of its query sorted by their bytes, and without its fragment.
    static func canonical(_ url: String) -> String {
        guard HTTPURL.query(of: url)?.utf8.contains(UInt8(ascii: "&")) ?? false else {
            return String(HTTPURL.withoutFragment(url))
        }
        // Items with the same name keep their order: k=1&k=2 is not k=2&k=1.
        return QueryItems.rewriting(url) { items in
            items.map { (bytes: Array($0.name.utf8), item: $0) }
                .enumerated()
                .sorted { left, right in
                    left.element.bytes == right.element.bytes
                        ? left.offset < right.offset
                        : left.element.bytes.lexicographicallyPrecedes(right.element.bytes)
                }
                .map(\.element.item)
        }
    }

    /// 32 digits and a dot.
    private static let prefixLength = 33

    /// The prefix and 64 digits.
    private static let length = prefixLength + 64

    private static let digestOfNothing = Array(SHA256.hash(data: Data()))

    private static func prefix(canonical url: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Array(url.utf8)).prefix(16)) + "."
    }

    /// Concatenated texts, each preceded by its length.
    private struct Parts {
        private(set) var bytes: [UInt8] = []

        init() {
            bytes.reserveCapacity(512)
        }

        mutating func append(_ part: some Collection<UInt8>) {
            let count = part.count
            for shift in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: count >> (shift * 8)))
            }
            bytes.append(contentsOf: part)
        }
    }
}
