// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension RequestCoding {
    var format: CompressionFormat { self == .gzip ? .gzip : .zlib }
}

extension [RequestCoding] {
    func coded(_ bytes: Data) throws -> Data {
        try reduce(bytes) { try Deflater.compress($0, format: $1.format) }
    }
}
