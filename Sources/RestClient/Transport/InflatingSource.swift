// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// Removes one content coding from chunks.
///
/// Only a little input is decompressed at a time, so that forged input cannot exhaust the memory.
final class InflatingSource: ByteSource {
    private static let pieceSize = 8 << 10

    private struct State: ~Copyable {
        /// The input that has not been decompressed yet.
        var input = Data()
        var inflater: Inflater?
        var isOver = false
    }

    private let base: any ByteSource
    private let coding: ContentDecoding
    private let state = Mutex(State())

    init(_ base: any ByteSource, _ coding: ContentDecoding) {
        self.base = base
        self.coding = coding
    }

    func next() async throws -> Data? {
        while true {
            if let output = try state.withLock({ state throws(RestClientError) in try inflate(&state) }) {
                return output
            }
            guard let chunk = try await base.next() else {
                try state.withLock { state throws(RestClientError) in try finish(&state) }
                return nil
            }
            state.withLock { $0.input.append(chunk) }
        }
    }

    func cancel() {
        base.cancel()
    }

    /// Returns the next output; `nil` if more input is needed.
    private func inflate(_ state: inout State) throws(RestClientError) -> Data? {
        // The two bytes of its header distinguish the zlib format from raw deflated data.
        guard state.inflater != nil || state.input.count >= 2 else {
            return nil
        }
        do throws(StoreError) {
            if state.inflater == nil {
                state.inflater = try Inflater(format: format(of: state.input), limit: .max)
            }
            while !state.input.isEmpty {
                let piece = state.input.prefix(Self.pieceSize)
                state.input = state.input.dropFirst(piece.count)
                let output = try state.inflater?.update(piece) ?? Data()
                if !output.isEmpty {
                    return output
                }
            }
        } catch {
            throw Self.damaged(error)
        }
        return nil
    }

    private func finish(_ state: inout State) throws(RestClientError) {
        guard !state.isOver else {
            return
        }
        state.isOver = true
        do throws(StoreError) {
            // An empty body has no coding.
            if state.inflater == nil, !state.input.isEmpty {
                throw StoreError(.truncatedInput, "the data ends within its header")
            }
            try state.inflater?.finish()
        } catch {
            throw Self.damaged(error)
        }
    }

    private func format(of input: Data) -> CompressionFormat {
        switch coding {
        case .gzip: .gzip
        // The coding is the zlib format, but some servers send raw deflated data.
        case .deflate: ContentCoding.isZlib(input) ? .zlib : .raw
        }
    }

    private static func damaged(_ error: StoreError) -> RestClientError {
        RestClientError(
            .malformedResponse,
            "the compressed body of the response is damaged or incomplete",
            underlying: error
        )
    }
}
