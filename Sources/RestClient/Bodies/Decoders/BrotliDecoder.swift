// SPDX-License-Identifier: MIT

#if Brotli

import CBrotli
import RestEssentials
import SharedStore

/// Removes the coding `br` (RFC 7932), whose window has at most 16 MiB.
@safe final class BrotliDecoder: CodingDecoder {
    private static let pieceSize = 64 << 10

    private let state: OpaquePointer
    private var hasMore = false
    private var isAtEnd = false

    init() throws(StoreError) {
        guard let state = unsafe BrotliDecoderCreateInstance(nil, nil, nil) else {
            throw StoreError(.limitExceeded, "brotli cannot allocate memory")
        }
        unsafe self.state = state
    }

    deinit {
        unsafe BrotliDecoderDestroyInstance(state)
    }

    func decode(_ input: inout Data) throws(StoreError) -> Data {
        while true {
            let output = takeOutput()
            guard output.isEmpty, hasMore || !input.isEmpty else {
                return output
            }
            guard !isAtEnd else {
                throw StoreError(.invalidInput, "there are bytes after the end of the brotli data")
            }
            let result = step(&input)
            hasMore = result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT
            isAtEnd = result == BROTLI_DECODER_RESULT_SUCCESS
            if result == BROTLI_DECODER_RESULT_ERROR {
                let reason = unsafe BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state))
                let words = unsafe reason.map { unsafe String(cString: $0) } ?? "no details"
                throw StoreError(.invalidInput, "the brotli data is damaged: \(words)")
            }
        }
    }

    func finish(_ rest: Data) throws(StoreError) {
        guard isAtEnd else {
            throw StoreError(.truncatedInput, "the brotli data ends too early")
        }
    }

    private func step(_ input: inout Data) -> BrotliDecoderResult {
        var available = input.count
        var room = 0
        let result = unsafe input.withUnsafeBytes { bytes in
            var next = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe BrotliDecoderDecompressStream(state, &available, &next, &room, nil, nil)
        }
        input = input.dropFirst(input.count - available)
        return result
    }

    private func takeOutput() -> Data {
        var count = Self.pieceSize
        guard let bytes = unsafe BrotliDecoderTakeOutput(state, &count), count > 0 else {
            return Data()
        }
        return unsafe Data(bytes: bytes, count: count)
    }
}

#endif
