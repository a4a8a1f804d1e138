// SPDX-License-Identifier: MIT

import Crypto
import HTTPTypes
import RestEssentials

/// A cache key.
///
/// Equal requests produce the same key in every process; any significant difference produces another. The URL counts as
/// it is sent (RFC 9111, section 4): the same items in another order are another URL.
///
/// It begins with a digest of the URL, so that all responses of one URL are adjacent, for all users. That digest is the
/// same for all spellings of the URL, so that an invalidation rather finds too much.
struct CacheKey: Hashable, Sendable {
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
        var parts = Parts()
        parts.append("rc3".utf8)
        parts.append(method.rawValue.utf8)
        parts.append(HTTPURL.withoutFragment(url).utf8)
        parts.append(body.isEmpty ? Self.digestOfNothing : Array(SHA256.hash(data: body)))
        parts.append(dogma.rawValue.utf8)
        for value in varying {
            parts.append(value.utf8)
        }
        parts.append((partition ?? "").utf8)
        for part in own {
            parts.append(part.utf8)
        }
        text = Self.prefix(of: url) + Hexadecimal.text(SHA256.hash(data: parts.bytes))
    }

    /// Creates the key of the requests whose response is in a row, which may be that of a variant.
    init(ofRow row: String) {
        text = String(row.prefix(Self.length))
    }

    static func prefix(of url: String) -> String {
        let spelling = PercentEncoding.decode(HTTPURL.withoutFragment(url))
        return Hexadecimal.text(SHA256.hash(data: Array(QueryItems.sorting(spelling).utf8)).prefix(16)) + "."
    }

    var urlPrefix: String { String(text.prefix(Self.prefixLength)) }

    func variant(_ selecting: SelectingFields) -> String {
        var parts = Parts()
        for field in selecting.fields {
            parts.append(field.name.utf8)
            parts.append((field.value.map { "=" + $0 } ?? "").utf8)
        }
        return text + "." + Hexadecimal.text(SHA256.hash(data: parts.bytes).prefix(16))
    }

    /// 32 digits and a dot.
    private static let prefixLength = 33

    /// The prefix and 64 digits.
    private static let length = prefixLength + 64

    private static let digestOfNothing = Array(SHA256.hash(data: Data()))

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
