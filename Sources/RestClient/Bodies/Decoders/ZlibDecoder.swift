// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// Removes the codings `gzip` and `deflate` (RFC 9110, section 8.4.1).
final class ZlibDecoder: CodingDecoder {
    /// Inflates to at most a thousand times its size.
    private static let pieceSize = 8 << 10

    private let isGzip: Bool
    private var inflater: Inflater?

    init(isGzip: Bool) {
        self.isGzip = isGzip
    }

    func decode(_ input: inout Data) throws(StoreError) -> Data {
        // The two bytes of its header distinguish the zlib format from raw deflated data.
        guard inflater != nil || input.count >= 2 else {
            return Data()
        }
        if inflater == nil {
            inflater = try Inflater(format: format(of: input), limit: .max)
        }
        while !input.isEmpty {
            let piece = input.prefix(Self.pieceSize)
            input = input.dropFirst(piece.count)
            let output = try inflater?.update(piece) ?? Data()
            if !output.isEmpty {
                return output
            }
        }
        return Data()
    }

    func finish(_ rest: Data) throws(StoreError) {
        guard inflater != nil else {
            throw StoreError(.truncatedInput, "the data ends within its header")
        }
        try inflater?.finish()
    }

    func decode(whole input: Data, limit: Int) throws(StoreError) -> Data {
        // If zlib knows that this is the complete input, it keeps no window of its output.
        try Inflater.decompress(input, format: format(of: input), limit: limit)
    }

    private func format(of input: Data) -> CompressionFormat {
        // The coding is the zlib format, but some servers send raw deflated data.
        (isGzip ? CompressionFormat.gzip : Self.isZlib(input) ? .zlib : .raw).padded
    }

    /// Returns true if a body begins with zlib's header (RFC 1950, section 2.2).
    private static func isZlib(_ body: Data) -> Bool {
        let head = body.prefix(2).map(Int.init)
        return head.count == 2 && head[0] & 0x0F == 8 && (head[0] << 8 | head[1]).isMultiple(of: 31)
    }
}
