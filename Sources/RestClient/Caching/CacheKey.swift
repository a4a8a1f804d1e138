// SPDX-License-Identifier: MIT

import Crypto
import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The name of a stored answer: alike for equal requests in every process, and different for any difference that counts.
struct CacheKey: Hashable, Sendable {
    /// The digest as text, as the store takes it.
    let text: String

    /// Derives the key from the parts of a request.
    ///
    /// Each part is preceded by its length, so that no two lists of parts give the same bytes. Credentials enter only as
    /// part of the digest.
    init(
        method: HTTPRequest.Method,
        url: String,
        body: Data,
        dogma: DogmaKey,
        varying: [String],
        partition: String?
    ) {
        var hasher = SHA256()
        Self.add("rc1", to: &hasher)
        Self.add(method.rawValue, to: &hasher)
        Self.add(Self.canonical(url), to: &hasher)
        Self.add(Array(SHA256.hash(data: body)), to: &hasher)
        Self.add(dogma.rawValue, to: &hasher)
        for value in varying {
            Self.add(value, to: &hasher)
        }
        Self.add(partition ?? "", to: &hasher)
        text = Self.hexadecimal(hasher.finalize())
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

    private static func add(_ text: String, to hasher: inout SHA256) {
        add(Array(text.utf8), to: &hasher)
    }

    private static func add(_ bytes: [UInt8], to hasher: inout SHA256) {
        hasher.update(data: (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) })
        hasher.update(data: bytes)
    }

    private static func hexadecimal(_ digest: SHA256.Digest) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in digest {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
