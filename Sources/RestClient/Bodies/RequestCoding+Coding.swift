// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension RequestCoding {
    /// The format of the compressed bytes.
    var format: CompressionFormat { self == .gzip ? .gzip : .zlib }
}

extension [RequestCoding] {
    /// Returns bytes with the codings applied.
    func coded(_ bytes: Data) throws -> Data {
        try reduce(bytes) { try Deflater.compress($0, format: $1.format) }
    }
}
