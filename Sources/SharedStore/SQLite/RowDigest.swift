// SPDX-License-Identifier: MIT

import RestEssentials

/// The checksum of a row, as SQLite does not detect a flipped bit: one half covers the attributes, one the value, which
/// need not be read when the metadata is refreshed.
struct RowDigest: Equatable {
    let bits: UInt64

    init(bits: UInt64) {
        self.bits = bits
    }

    init(key: String, attributes: RowAttributes, tags: Data?, value: Data) {
        self.init(
            header: Self.header(key: key, attributes: attributes, tags: tags),
            value: Checksum(of: value).value
        )
    }

    private init(header: UInt32, value: UInt32) {
        bits = UInt64(header) << 32 | UInt64(value)
    }

    func refreshed(key: String, attributes: RowAttributes, tags: Data?) -> RowDigest {
        RowDigest(
            header: Self.header(key: key, attributes: attributes, tags: tags),
            value: UInt32(truncatingIfNeeded: bits)
        )
    }

    private static func header(key: String, attributes: RowAttributes, tags: Data?) -> UInt32 {
        var checksum = Checksum()
        checksum.add(key)
        checksum.add(attributes.storedAt.timeIntervalSinceReferenceDate.bitPattern)
        checksum.add(attributes.expiresAt?.timeIntervalSinceReferenceDate.bitPattern ?? .max)
        if let tags { checksum.add(tags) }
        checksum.add(attributes.metadata)
        return checksum.value
    }
}
