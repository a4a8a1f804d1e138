// SPDX-License-Identifier: MIT

import Crypto
import HTTPTypes
import RestEssentials

/// A cache key.
///
/// Equal requests produce the same key in every process; any significant difference produces another.
///
/// It begins with a digest of the URL, so that all responses of one URL lie side by side, for all users.
struct CacheKey: Hashable, Sendable {
    /// The text as the store takes it.
    let text: String

    /// Derives the key from the parts of a request.
    ///
    /// Each part is preceded by its length, so that no two lists of parts give the same bytes.
    init(
        method: HTTPRequest.Method,
        url: String,
        body: Data,
        dogma: DogmaAlias,
        varying: [String],
        partition: String?
    ) {
        let url = Self.canonical(url)
        var hasher = SHA256()
        Self.add("rc2", to: &hasher)
        Self.add(method.rawValue, to: &hasher)
        Self.add(url, to: &hasher)
        Self.add(Array(SHA256.hash(data: body)), to: &hasher)
        Self.add(dogma.rawValue, to: &hasher)
        for value in varying {
            Self.add(value, to: &hasher)
        }
        Self.add(partition ?? "", to: &hasher)
        text = Self.prefix(canonical: url) + Hexadecimal.text(hasher.finalize())
    }

    /// Returns the prefix of the keys of all responses of a URL.
    static func prefix(of url: String) -> String {
        prefix(canonical: canonical(url))
    }

    /// The prefix of the keys of all responses of the same URL.
    var urlPrefix: String { String(text.prefix(Self.prefixLength)) }

    /// The key of the response that requests with such fields select.
    func variant(_ selecting: SelectingFields) -> String {
        var hasher = SHA256()
        for field in selecting.fields {
            Self.add(field.name, to: &hasher)
            Self.add(field.value.map { "=" + $0 } ?? "", to: &hasher)
        }
        return text + "." + Hexadecimal.text(hasher.finalize().prefix(16))
    }

    /// A URL with the items of its query in the order of their bytes, and without its fragment.
    static func canonical(_ url: String) -> String {
        let url = url.prefix { $0 != "#" }
        guard let mark = url.firstIndex(of: "?") else {
            return String(url)
        }
        let items = url[url.index(after: mark)...].split(separator: "&")
        guard items.count > 1 else {
            return String(url)
        }
        // Items of the same name keep their order: k=1&k=2 is not k=2&k=1.
        let sorted = items.enumerated()
            .sorted { left, right in
                let leftName = left.element.prefix { $0 != "=" }
                let rightName = right.element.prefix { $0 != "=" }
                return leftName == rightName ? left.offset < right.offset : leftName < rightName
            }
        return url[...mark] + sorted.map(\.element).joined(separator: "&")
    }

    /// 32 digits and a dot.
    private static let prefixLength = 33

    private static func prefix(canonical url: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Data(url.utf8)).prefix(16)) + "."
    }

    private static func add(_ text: String, to hasher: inout SHA256) {
        add(Array(text.utf8), to: &hasher)
    }

    private static func add(_ bytes: [UInt8], to hasher: inout SHA256) {
        hasher.update(data: (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) })
        hasher.update(data: bytes)
    }
}
