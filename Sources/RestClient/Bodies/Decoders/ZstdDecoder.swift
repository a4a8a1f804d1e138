// SPDX-License-Identifier: MIT

#if Zstd

import CZstd
import RestEssentials
import SharedStore

/// Removes the coding `zstd` (RFC 8878): frames, in sequence, with windows of at most 8 MiB (RFC 9659).
@safe final class ZstdDecoder: CodingDecoder {
    private static let windowLog: Int32 = 23
    /// The length of the number that a frame begins with.
    private static let magicCount = 4

    private let context: OpaquePointer
    private let room: UnsafeMutableRawBufferPointer
    /// True between two frames, where the data may end.
    private var isBetweenFrames = true
    private var hasMore = false

    init() throws(StoreError) {
        guard let context = unsafe ZSTD_createDCtx() else {
            throw StoreError(.limitExceeded, "zstd cannot allocate memory")
        }
        unsafe self.context = context
        unsafe room = .allocate(byteCount: ZSTD_DStreamOutSize(), alignment: 16)
        _ = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLog)
    }

    deinit {
        unsafe ZSTD_freeDCtx(context)
        unsafe room.deallocate()
    }

    func decode(_ input: inout Data) throws(StoreError) -> Data {
        while hasMore || !input.isEmpty {
            if isBetweenFrames {
                guard input.count >= Self.magicCount else {
                    break
                }
                try Self.checkMagic(of: input)
            }
            let output = try step(&input)
            if !output.isEmpty {
                return output
            }
        }
        return Data()
    }

    func finish(_ rest: Data) throws(StoreError) {
        guard isBetweenFrames, rest.isEmpty else {
            throw StoreError(.truncatedInput, "the zstd data ends too early")
        }
    }

    private func step(_ input: inout Data) throws(StoreError) -> Data {
        var output = unsafe ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        var taken = 0
        let result = unsafe input.withUnsafeBytes { bytes in
            var source = unsafe ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
            defer { taken = unsafe source.pos }
            return unsafe ZSTD_decompressStream(context, &output, &source)
        }
        guard ZSTD_isError(result) == 0 else {
            let words = unsafe String(cString: ZSTD_getErrorName(result))
            throw StoreError(.invalidInput, "the zstd data is damaged: \(words)")
        }
        input = input.dropFirst(taken)
        isBetweenFrames = result == 0
        hasMore = unsafe !isBetweenFrames && output.pos == output.size
        return unsafe Data(room.prefix(output.pos))
    }

    /// Refuses formats of zstd before 1.0, which the library may read, without a limit to their window.
    private static func checkMagic(of input: Data) throws(StoreError) {
        let magic = input.prefix(magicCount).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard magic == ZSTD_MAGICNUMBER || magic & ZSTD_MAGIC_SKIPPABLE_MASK == ZSTD_MAGIC_SKIPPABLE_START else {
            throw StoreError(.invalidInput, "the data is not in the format of zstd")
        }
    }
}

#endif
