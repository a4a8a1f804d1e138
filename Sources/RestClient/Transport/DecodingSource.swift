// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// Removes one content coding from chunks.
///
/// Only a little input is decoded at a time, so that forged input cannot exhaust the memory.
final class DecodingSource: ByteSource {
    private struct State {
        /// The input that has not been decoded yet.
        var input = Data()
        /// Made for the first input: an empty body has no coding.
        var decoder: (any CodingDecoder)?
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
            if let output = try state.withLock({ state throws(RestClientError) in try decode(&state) }) {
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
    private func decode(_ state: inout State) throws(RestClientError) -> Data? {
        do throws(StoreError) {
            if state.decoder == nil, !state.input.isEmpty {
                state.decoder = try coding.decoder()
            }
            let output = try state.decoder?.decode(&state.input) ?? Data()
            return output.isEmpty ? nil : output
        } catch {
            throw ContentCoding.damaged(error)
        }
    }

    private func finish(_ state: inout State) throws(RestClientError) {
        guard !state.isOver else {
            return
        }
        state.isOver = true
        do throws(StoreError) {
            try state.decoder?.finish(state.input)
        } catch {
            throw ContentCoding.damaged(error)
        }
    }
}
