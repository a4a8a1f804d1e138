// SPDX-License-Identifier: MIT

import RestEssentials

/// The stored form of a set of tags: each as its length in four bytes and its UTF-8, sorted by bytes.
enum TagList {
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
        unsafe data.withUnsafeBytes { bytes in
            var tags: Set<String> = []
            var start = 0
            // Without slices of the data, which cost more than the tags in them.
            while bytes.count - start >= 4 {
                let length = unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)
                let count = Int(UInt32(littleEndian: length))
                start += 4
                guard count <= bytes.count - start else {
                    break
                }
                let tag = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
                tags.insert(unsafe String(decoding: tag, as: UTF8.self))
                start += count
            }
            return tags
        }
    }
}
