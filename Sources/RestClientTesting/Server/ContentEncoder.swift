// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// Compresses a body piece by piece, so that each piece can be decompressed as soon as it arrives.
struct ContentEncoder: ~Copyable {
    private var deflater: Deflater

    init(_ encoding: LoopbackContentEncoding) throws(StoreError) {
        deflater = try Deflater(format: encoding.format)
    }

    /// Encodes the next piece.
    ///
    /// The last one, which may be empty, ends the stream.
    mutating func encode(_ bytes: [UInt8], isLast: Bool) throws(StoreError) -> [UInt8] {
        let output = try deflater.update(Data(bytes))
        let rest = try isLast ? deflater.finish() : deflater.flush()
        return Array(output + rest)
    }
}
