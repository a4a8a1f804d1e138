// SPDX-License-Identifier: MIT

import Crypto
import Foundation
import SharedStore

/// Codecs against what lies beneath them.
enum CodecComparisons {
    static func all() throws -> [Comparison] {
        try [("1 KB", 1 << 10, 5000), ("100 KB", 100 << 10, 200), ("10 MB", 10 << 20, 2)]
            .flatMap { name, size, count in
                let data = text(size)
                return try compression(name, data, count) + sealing(name, data, count)
            }
    }

    /// Text that compresses about as well as the JSON of an API does.
    private static func text(_ size: Int) -> Data {
        var generator = SeededGenerator(seed: 1)
        var text = Data(capacity: size + 200)
        while text.count < size {
            let number = generator.next()
            text.append(
                contentsOf: #"{"id":\#(number % 1_000_000),"sku":"SKU-\#(number >> 44)","qty":\#(number % 9),"#.utf8
            )
            text.append(contentsOf: #""price":\#(Double(number % 10_000) / 100),"shipped":\#(number % 2 == 0)},"#.utf8)
        }
        return text.prefix(size)
    }

    private static func compression(_ name: String, _ data: Data, _ count: Int) throws -> [Comparison] {
        let codec = StorageCodec.gzip
        let context = CodecContext(name: "key")
        let packed = try codec.encode(data, context: context)
        return [
            Comparison(
                title: "gzip \(name)",
                count: count,
                contenders: [
                    Contender(name: "zlib") { count, _ in
                        let zlib = RawZlib(capacity: data.count + 1024)
                        for _ in 0..<count { expect(zlib.gzip(data) == packed.count) }
                    },
                    Contender(name: "StorageCodec.gzip.encode") { count, _ in
                        for _ in 0..<count { expect(try codec.encode(data, context: context).count == packed.count) }
                    },
                ]
            ),
            Comparison(
                title: "gunzip \(name)",
                count: count * 4,
                contenders: [
                    Contender(name: "zlib") { count, _ in
                        let zlib = RawZlib(capacity: data.count + 1024)
                        for _ in 0..<count { expect(zlib.gunzip(packed) == data.count) }
                    },
                    Contender(name: "StorageCodec.gzip.decode") { count, _ in
                        for _ in 0..<count { expect(try codec.decode(packed, context: context).count == data.count) }
                    },
                ]
            ),
        ]
    }

    private static func sealing(_ name: String, _ data: Data, _ count: Int) throws -> [Comparison] {
        let key = SymmetricKey(size: .bits256)
        let codec = StorageCodec.sealed(try SealingKey(bytes: key.withUnsafeBytes { Data($0) }))
        let context = CodecContext(name: "key")
        let binding = Data("key".utf8)
        let sealed = try codec.encode(data, context: context)
        let box = try AES.GCM.seal(data, using: key, authenticating: binding)
        guard let combined = box.combined else {
            throw CocoaError(.coderInvalidValue)
        }
        return [
            Comparison(
                title: "seal \(name)",
                count: count * 10,
                contenders: [
                    Contender(name: "AES.GCM.seal") { count, _ in
                        for _ in 0..<count {
                            let box = try AES.GCM.seal(data, using: key, authenticating: binding)
                            expect(box.ciphertext.count == data.count)
                        }
                    },
                    Contender(name: "StorageCodec.sealed.encode") { count, _ in
                        for _ in 0..<count {
                            expect(try codec.encode(data, context: context).count == sealed.count)
                        }
                    },
                ]
            ),
            Comparison(
                title: "open \(name)",
                count: count * 10,
                contenders: [
                    Contender(name: "AES.GCM.open") { count, _ in
                        for _ in 0..<count {
                            let box = try AES.GCM.SealedBox(combined: combined)
                            expect(try AES.GCM.open(box, using: key, authenticating: binding).count == data.count)
                        }
                    },
                    Contender(name: "StorageCodec.sealed.decode") { count, _ in
                        for _ in 0..<count {
                            expect(try codec.decode(sealed, context: context).count == data.count)
                        }
                    },
                ]
            ),
        ]
    }
}
